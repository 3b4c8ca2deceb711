// Events that a harness might report, in any order, even an implausible one; `recordedLog` adds the decisions.
import {
  type Facts,
  type FileFact,
  omitUndefined,
  type RecordedCapabilities,
  type RuleAnswer,
  type SessionEvent,
} from '@signalbox/core'
import fc from 'fast-check'
import { CALL_IDS, CUSTOM_TYPES, harnessTool, PATHS, PROMPTS } from './alphabet.ts'
import { contentFacts } from './content.ts'

const file: fc.Arbitrary<FileFact> = fc.oneof(
  fc.constant({ exists: false } as const),
  fc.constant({ exists: 'unknown' } as const),
  fc.record({
    exists: fc.constant(true),
    kind: fc.constantFrom('file', 'file', 'directory'),
    fingerprint: fc.constantFrom('sha256:1', 'sha256:2'),
  }),
)

const files = fc.record({ 'a.txt': file, 'b.txt': file, 'AGENTS.md': file }, { requiredKeys: [] })

/** Includes answers of the wrong kind for their rule, which must count as missing. */
const answer: fc.Arbitrary<RuleAnswer> = fc.oneof(
  fc
    .record({ allow: fc.boolean(), reason: fc.constant('No.') }, { requiredKeys: ['allow'] })
    .map((fields) => ({ kind: 'policy', ...fields }) as const),
  fc
    .constantFrom(null, {
      severity: 'info',
      summary: 'Look.',
      observations: [],
      suggestions: [],
    } as const)
    .map((advice) => ({ kind: 'feedback', advice }) as const),
  fc
    .record(
      { complete: fc.boolean(), feedback: fc.constant('Almost.') },
      { requiredKeys: ['complete'] },
    )
    .map((fields) => ({ kind: 'check', ...fields }) as const),
  fc.constant({ kind: 'error', error: 'It threw.' } as const),
  fc.constant({ kind: 'unavailable' } as const),
)

function factsAbout(rules: readonly string[]): fc.Arbitrary<Facts> {
  const answers = fc.dictionary(fc.constantFrom(...rules), answer, { maxKeys: rules.length })
  return fc.record({ files, answers }, { requiredKeys: ['files'] })
}

function ids(prefix: string, first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${first + i}`)
}

/** Facts of a call. One in five has no facts about its content. */
function factsOfCall(rules: readonly string[]): fc.Arbitrary<Facts> {
  const content = contentFacts([...ids('content', 0, 3), ...ids('section-content', 0, 2)])
  return fc
    .tuple(factsAbout(rules), fc.option(content, { nil: undefined, freq: 5 }))
    .map(([facts, found]) => ({ ...facts, ...omitUndefined({ content: found }) }))
}

type Body = {
  readonly [Type in SessionEvent['type']]: Pick<
    Extract<SessionEvent, { type: Type }>,
    'type' | 'data'
  >
}[SessionEvent['type']]

const callId = fc.constantFrom(...CALL_IDS)

const request = fc
  .record(
    {
      call_id: callId,
      tool: harnessTool,
      native_tool: fc.constant('Native Tool'),
      args: fc.record(
        {
          path: fc.oneof(fc.constantFrom(...PATHS), fc.constant({ $redacted: 'paths' })),
          force: fc.boolean(),
        },
        { requiredKeys: ['path'] },
      ),
      facts: factsOfCall([...ids('policy', 0, 4), ...ids('section-policy', 0, 2)]),
    },
    { requiredKeys: ['call_id', 'tool', 'args', 'facts'] },
  )
  .map((data) => ({ type: 'tool.requested', data }) as const)

const result = fc
  .record({
    call_id: callId,
    tool: harnessTool,
    outcome: fc.constantFrom('success', 'success', 'failure', 'denied', 'invalid', 'unknown'),
    facts: factsOfCall(ids('provider', 0, 3)),
  })
  .map((data) => ({ type: 'tool.invoked', data }) as const)

const answerToApproval = fc
  .record(
    {
      call_id: callId,
      decision: fc.constantFrom('approved', 'approved', 'denied', 'timed_out', 'unavailable'),
      by: fc.constant('mira@example.com'),
      note: fc.constant('Use staging.'),
    },
    { requiredKeys: ['call_id', 'decision'] },
  )
  .map((data) => ({ type: 'approval.decided', data }) as const)

const plan = fc
  .array(
    fc.record({
      title: fc.constantFrom('one', 'two'),
      status: fc.constantFrom('done', 'pending'),
    }),
    { maxLength: 4 },
  )
  .map((steps) => ({ type: 'plan.updated', data: { steps } }) as const)

const stop = fc
  .record(
    {
      via: fc.constantFrom('turn_end', 'structured_output', 'final'),
      harness_max_blocks: fc.nat(3),
      facts: factsAbout(ids('check', 1, 8)),
    },
    { requiredKeys: ['via', 'facts'] },
  )
  .map((data) => ({ type: 'stop.attempted', data }) as const)

const usage = fc
  .record({
    evaluation_id: fc.constantFrom('e1', 'e2'),
    input_tokens: fc.nat(500),
    output_tokens: fc.nat(500),
  })
  .map((data) => ({ type: 'usage.recorded', data }) as const)

const lapse = fc
  .record(
    {
      code: fc.constantFrom(
        'guard_unreachable',
        'guard_timeout',
        'hook_missing',
        'unsupported_version',
      ),
      detail: fc.constant('The guard was not called.'),
      call_id: callId,
      tool: harnessTool,
    },
    { requiredKeys: ['code', 'detail'] },
  )
  .map((data) => ({ type: 'enforcement.lapsed', data }) as const)

const order = fc
  .record({
    action: fc.constantFrom('pause', 'resume', 'resume', 'end'),
    by: fc.constantFrom('Mira', 'key ci (sbx_ab12cd34)'),
    reason: fc.constantFrom('It loops.', 'Enough for today.'),
    counter: fc.nat(6),
  })
  .map((data) => ({ type: 'session.controlled', data }) as const)

const sinceFirst: fc.Arbitrary<RecordedCapabilities> = fc.record({
  deny_reason: fc.boolean(),
  inject: fc.constantFrom('message', 'in_result', 'none'),
  block_stop: fc.constantFrom('in_loop', 'reprompt', 'none'),
  max_blocks: fc.option(fc.nat(8)),
  structured: fc.constantFrom('before_accept', 'final_message', 'post_only', 'none'),
  structured_attempts: fc.option(fc.nat(5)),
  failure: fc.constantFrom('event', 'text', 'stream', 'none'),
  call_ids: fc.boolean(),
  batch: fc.constantFrom('serial', 'parallel'),
  on_guard_crash: fc.constantFrom('closed', 'open'),
  on_guard_timeout: fc.constantFrom('closed', 'open'),
  ungoverned: fc.subarray(['Web search in the cloud', 'Task']),
})

const capabilities: fc.Arbitrary<RecordedCapabilities> = fc.oneof(
  sinceFirst,
  fc
    .tuple(sinceFirst, fc.option(fc.nat(604_800)))
    .map(([rest, approval_seconds]) => ({ ...rest, approval_seconds })),
  fc
    .tuple(
      sinceFirst,
      fc.record({
        approval_seconds: fc.option(fc.nat(604_800)),
        replaces_arguments: fc.boolean(),
        replaces_results: fc.boolean(),
        unkept_content: fc.subarray(['content-0', 'section-content-0']),
      }),
    )
    .map(([rest, later]) => ({ ...rest, ...later })),
)

const body: fc.Arbitrary<Body> = fc.oneof(
  { arbitrary: request, weight: 6 },
  { arbitrary: result, weight: 6 },
  { arbitrary: answerToApproval, weight: 2 },
  { arbitrary: plan, weight: 2 },
  { arbitrary: stop, weight: 3 },
  { arbitrary: usage, weight: 2 },
  lapse,
  order,
  fc
    .constantFrom(...PROMPTS)
    .map((prompt) => ({ type: 'prompt.rendered', data: { prompt } }) as const),
  fc.constantFrom<Body>(
    { type: 'note', data: { text: 'noted' } },
    { type: 'file.observed', data: { path: 'a.txt' } },
    { type: 'lease.extended', data: { seconds: 300 } },
    { type: 'heartbeat', data: {} },
  ),
)

/** A log that begins with session.started; `seq` counts from 1, and time never decreases. */
export const eventLog: fc.Arbitrary<readonly SessionEvent[]> = fc
  .record({
    deadline: fc.option(fc.integer({ min: 1_000, max: 400_000 })),
    budget: fc.option(fc.record({ max_total_tokens: fc.integer({ min: 1, max: 2_000 }) })),
    capable: fc.option(capabilities),
    semantics: fc.constantFrom({}, { semantics: 1 }, { semantics: 2 }),
    // Most logs have no order, so that rules decide most calls.
    isControlled: fc.constantFrom(false, false, false, true),
    rest: fc.array(fc.tuple(body, fc.nat(40_000)), { maxLength: 60 }),
  })
  .map(({ deadline, budget, capable, semantics, isControlled, rest: all }) => {
    const rest = all.filter(([{ type }]) => isControlled || type !== 'session.controlled')
    let at = 1_700_000_000_000
    const started = {
      ...semantics,
      ns: 'any',
      key: 'prompt',
      environment: 'dev',
      harness: { name: 'test' },
      custom_types: CUSTOM_TYPES,
      ...omitUndefined({
        deadline_at: deadline === null ? undefined : at + deadline,
        budget: budget ?? undefined,
        capabilities: capable ?? undefined,
      }),
    }
    const first: SessionEvent = {
      session: 'sess_any',
      seq: 1,
      at,
      type: 'session.started',
      data: started,
    }
    return [
      first,
      ...rest.map(([event, later], i): SessionEvent => {
        at += later
        return { session: 'sess_any', seq: i + 2, at, ...event }
      }),
    ]
  })
