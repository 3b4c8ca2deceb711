// Random configs and event logs for properties. Small alphabets on purpose: names must collide to be interesting.
import type {
  CheckerDocument,
  ConfigDocument,
  FeedbackProviderDocument,
  FileFact,
  PolicyDocument,
  RuleMode,
  SessionEvent,
  TriggerDocument,
} from '@signalbox/core'
import fc from 'fast-check'

const TOOLS = ['lint', 'build', 'test', 'deploy', 'read_file', 'write_file'] as const
const PATHS = ['a.txt', './a.txt', 'b.txt', 'dir/../b.txt', '../out.txt', 'AGENTS.md'] as const
/** Tools in an order; prerequisites point backwards only, so that no random config has a cycle. */
const EARLIER = new Map(TOOLS.map((tool, i) => [tool, TOOLS.slice(0, i)]))

const tool = fc.constantFrom(...TOOLS)
const mode = fc.constantFrom<RuleMode>('enforce', 'shadow', 'off')

const dependencies = fc
  .uniqueArray(tool, { maxLength: 4 })
  .chain((tools) =>
    fc.record(
      Object.fromEntries(
        tools.map((name) => [name, fc.subarray([...(EARLIER.get(name) ?? [])])] as const),
      ),
    ),
  )

/** A policy that is always valid on its own; `id` must be made unique by the caller. */
export const policyWithoutId: fc.Arbitrary<(id: string) => PolicyDocument> = fc.oneof(
  fc
    .record({ mode, dependencies })
    .map((fields) => (id: string) => ({ id, type: 'sequential_dependency', ...fields }) as const),
  fc
    .record({ mode, reads_expire_on_change: fc.boolean(), writes_count_as_reads: fc.boolean() })
    .map(
      (fields) => (id: string) =>
        ({
          id,
          type: 'read_before_write',
          read_tools: ['read_file'],
          write_tools: ['write_file'],
          ...fields,
        }) as const,
    ),
)

const trigger: fc.Arbitrary<TriggerDocument> = fc
  .record(
    {
      every_n_calls: fc.integer({ min: 1, max: 5 }),
      every_n_seconds: fc.integer({ min: 1, max: 90 }),
      on_file_created: fc.constant({ filename: 'AGENTS.md' }),
    },
    { requiredKeys: [] },
  )
  .filter((fields) => Object.keys(fields).length > 0)

const provider: fc.Arbitrary<(id: string) => FeedbackProviderDocument> = fc.oneof(
  fc
    .record({ mode, trigger, warning_threshold_seconds: fc.integer({ min: 1, max: 200 }) })
    .map((fields) => (id: string) => ({ id, type: 'deadline', ...fields }) as const),
  fc
    .record({ mode, trigger, feedback: fc.string({ minLength: 1, maxLength: 20 }) })
    .map((fields) => (id: string) => ({ id, type: 'static', ...fields }) as const),
)

type Shape =
  | { readonly leaf: 'plan' | 'files_exist' }
  | { readonly all: boolean; readonly of: Shape[] }

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.record({ leaf: fc.constantFrom('plan', 'files_exist') }),
    fc.record({ all: fc.boolean(), of: fc.array(tie('shape'), { maxLength: 3 }) }),
  ),
}))

function checkerOf(node: Shape, next: () => string): CheckerDocument {
  const id = next()
  if ('of' in node) {
    const checkers = node.of.map((child) => checkerOf(child, next))
    return { id, type: 'composite', all_must_pass: node.all, checkers }
  }
  return node.leaf === 'plan'
    ? { id, type: 'plan' }
    : { id, type: 'files_exist', files: ['a.txt', 'b.txt'] }
}

/** A checker tree whose ids are `check-1`, `check-2` … in document order. */
export const checkerDocument: fc.Arbitrary<CheckerDocument> = shape.map((node) => {
  let count = 0
  return checkerOf(node, () => `check-${++count}`)
})

/** Valid config documents of the built-in types. */
export const configDocument: fc.Arbitrary<ConfigDocument> = fc
  .record({
    policies: fc.array(policyWithoutId, { maxLength: 4 }),
    providers: fc.array(provider, { maxLength: 3 }),
    exclusive: fc.boolean(),
    checker: fc.option(checkerDocument),
    maxBlocks: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ policies, providers, exclusive, checker, maxBlocks }) => ({
    schema_version: 1,
    ns: 'any',
    key: 'prompt',
    aliases: { Write: 'write_file' },
    policies: policies.map((make, i) => make(`policy-${i}`)),
    feedback_providers: providers.map((make, i) => make(`provider-${i}`)),
    feedback_exclusive: exclusive,
    ...(checker === null ? {} : { task_completion_checker: checker }),
    limits: { max_stop_blocks: maxBlocks },
  }))

const file: fc.Arbitrary<FileFact> = fc.oneof(
  fc.constant({ exists: false } as const),
  fc.constant({ exists: 'unknown' } as const),
  fc.record({
    exists: fc.constant(true),
    kind: fc.constantFrom('file', 'directory'),
    fingerprint: fc.constantFrom('sha256:1', 'sha256:2'),
  }),
)

const facts = fc
  .record({ 'a.txt': file, 'b.txt': file, 'AGENTS.md': file }, { requiredKeys: [] })
  .map((files) => ({ files }))

type Body = {
  readonly [Type in SessionEvent['type']]: Pick<
    Extract<SessionEvent, { type: Type }>,
    'type' | 'data'
  >
}[SessionEvent['type']]

const callId = fc.constantFrom('c1', 'c2', 'c3')

const body: fc.Arbitrary<Body> = fc.oneof(
  fc
    .record({ call_id: callId, tool, args: fc.record({ path: fc.constantFrom(...PATHS) }), facts })
    .map((data) => ({ type: 'tool.requested', data }) as const),
  fc
    .record({
      call_id: callId,
      tool,
      outcome: fc.constantFrom('success', 'failure', 'denied', 'invalid', 'unknown'),
      facts,
    })
    .map((data) => ({ type: 'tool.invoked', data }) as const),
  fc
    .array(
      fc.record({
        title: fc.constantFrom('one', 'two'),
        status: fc.constantFrom('done', 'pending'),
      }),
      { maxLength: 4 },
    )
    .map((steps) => ({ type: 'plan.updated', data: { steps } }) as const),
  fc
    .record({ via: fc.constantFrom('turn_end', 'structured_output', 'final'), facts })
    .map((data) => ({ type: 'stop.attempted', data }) as const),
  fc
    .record({
      evaluation_id: fc.constantFrom('e1', 'e2'),
      input_tokens: fc.nat(500),
      output_tokens: fc.nat(500),
    })
    .map((data) => ({ type: 'usage.recorded', data }) as const),
  fc
    .constantFrom('any:prompt', 'any:other')
    .map((prompt) => ({ type: 'prompt.rendered', data: { prompt } }) as const),
)

/** A log that starts with session.started; `seq` counts from 1 and time never goes back. */
export const eventLog: fc.Arbitrary<readonly SessionEvent[]> = fc
  .record({
    deadline: fc.option(fc.integer({ min: 1_000, max: 400_000 })),
    budget: fc.option(fc.record({ max_total_tokens: fc.integer({ min: 1, max: 2_000 }) })),
    rest: fc.array(fc.tuple(body, fc.nat(40_000)), { maxLength: 60 }),
  })
  .map(({ deadline, budget, rest }) => {
    let at = 1_700_000_000_000
    const started = {
      ns: 'any',
      key: 'prompt',
      environment: 'dev',
      harness: { name: 'test' },
      ...(deadline === null ? {} : { deadline_at: at + deadline }),
      ...(budget === null ? {} : { budget }),
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
