import { expect, test } from 'vitest'
import type { CheckResult, RuleResult } from '../model/effect.ts'
import type { EventBody, FeedbackDelivered, SessionEvent } from '../model/event.ts'
import type { Facts } from '../model/fact.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import type { EventFact } from './event-fact.ts'
import { type EventSummary, listEventFacts, summarizeEvent } from './event-kinds.ts'

function requested(file_path: string, files: readonly string[]): SessionEvent {
  return {
    session: 'sess_1',
    seq: 1,
    at: 0,
    type: 'tool.requested',
    data: {
      call_id: 'call_1',
      tool: 'write_file',
      args: { content: 'text', file_path },
      facts: { files: Object.fromEntries(files.map((file) => [file, { exists: false }])) },
    },
  }
}

test.each([
  ['/home/ana/shop/docs/NOTES.md', ['docs/NOTES.md'], 'docs/NOTES.md'],
  ['docs/NOTES.md', ['docs/NOTES.md'], 'docs/NOTES.md'],
  ['/etc/NOTES.md.bak', ['NOTES.md'], '/etc/NOTES.md.bak'],
  ['/home/ana/shop/MY-NOTES.md', ['NOTES.md'], '/home/ana/shop/MY-NOTES.md'],
  ['/etc/passwd', [], '/etc/passwd'],
])(
  'the event summary of a call about %s is its path in the workspace, if it has one',
  (path, files, line) => {
    expect(summarizeEvent(requested(path, files)).summary).toBe(line)
  },
)

test.each([
  [{}, 'expired'],
  [{ message: 'Another worker has it.' }, 'expired · Another worker has it.'],
])('the event summary of an expired lease with the data %j is "%s"', (data, summary) => {
  const event = { session: 'sess_1', seq: 1, at: 0, type: 'lease.expired', data } as const
  expect(summarizeEvent(event)).toMatchObject({ subject: 'lease', summary })
})

test('the event summary of feedback names the id of its rule, not its class', () => {
  const data: FeedbackDelivered = {
    provider: 'progress',
    type: 'tool_usage',
    name: 'ToolUsageMonitor',
    pointer: '',
    mode: 'enforce',
    severity: 'caution',
    summary: 'Look',
    observations: [],
    suggestions: [],
    conditions: [],
    call_index: 1,
    prompt: 'tax',
    call_id: 'call_1',
    delivery: 'message',
  }
  expect(summarizeEvent({ type: 'feedback.delivered', data })).toMatchObject({
    subject: 'progress',
    verdict: 'caution',
  })
})

const words = (name: string, text: string) => ({ name, value: { kind: 'words', text } }) as const
const code = (name: string, text: string) => ({ name, value: { kind: 'code', text } }) as const
const text = (name: string, said: string) =>
  ({ name, value: { kind: 'text', text: said } }) as const
const instant = (name: string, at: number) => ({ name, value: { kind: 'instant', at } }) as const
const json = (name: string, value: JsonValue) => ({ name, value: { kind: 'json', value } }) as const
const list = (name: string, ...items: readonly string[]) =>
  ({ name, value: { kind: 'list', items } }) as const
const fields = (name: string, values: JsonObject) =>
  ({ name, value: { kind: 'fields', fields: values } }) as const
const CALL = code('Call', 'c1')

const NO_SUMMARY: EventSummary = { verdict: null, subject: null, summary: '', durationMs: null }

const MISSING: RuleResult = {
  rule: 'order',
  pointer: '/policies/0',
  type: 'sequential_dependency',
  mode: 'enforce',
  result: 'deny',
  code: 'sequential.missing',
  params: { tool: 'deploy', missing: ['test'] },
  because: [],
}
const SHADOWED = { ...MISSING, mode: 'shadow' } as const

const WITHHELD: RuleResult = {
  rule: 'keys',
  pointer: '/content/0',
  type: 'content',
  mode: 'enforce',
  result: 'deny',
  code: 'content.withheld',
  params: { on: 'result', kind: 'secrets', count: 2 },
  because: [],
}

const CLEAN: RuleResult = {
  rule: 'people',
  pointer: '/content/1',
  type: 'content',
  mode: 'enforce',
  result: 'allow',
  code: 'content.clean',
  params: { on: 'result', kind: 'pii' },
  because: [],
}

const OPEN_PLAN: CheckResult = {
  checker: 'plan',
  pointer: '/task_completion_checker',
  type: 'plan',
  status: 'incomplete',
  code: 'plan.open_steps',
  params: { open: 1, total: 3 },
  feedback: 'Go on.',
  because: [4],
}

const LOOKED_UP: Facts = {
  files: {
    'a.md': { exists: true, kind: 'file', fingerprint: 'sha256:0123456789abcdef' },
    'b.md': { exists: false },
    src: { exists: true, kind: 'directory' },
    'c.md': { exists: 'unknown' },
  },
  answers: {
    gate: { kind: 'policy', allow: true },
    fence: { kind: 'policy', allow: false, reason: 'closed' },
    coach: { kind: 'feedback', advice: null },
    guide: {
      kind: 'feedback',
      advice: { severity: 'info', summary: 'Test first', observations: [], suggestions: [] },
    },
    judge: { kind: 'check', complete: true, by: 'model-1' },
    review: { kind: 'check', complete: false, feedback: 'no tests' },
    broken: { kind: 'error', error: 'timeout' },
    silent: { kind: 'unavailable' },
  },
}

const LOOK_UP_FACTS: readonly EventFact[] = [
  list(
    'Files',
    '`a.md` existed, content `01234567…`',
    '`b.md` did not exist',
    '`src` existed, a directory',
    '`c.md` unknown',
  ),
  list(
    'Answers',
    '`gate` allowed',
    '`fence` denied: closed',
    '`coach` no advice',
    '`guide` advice: Test first',
    '`judge` complete (model-1)',
    '`review` not complete: no tests',
    '`broken` failed: timeout',
    '`silent` no one to ask',
  ),
]

const CAPABILITIES = {
  deny_reason: true,
  inject: 'message',
  block_stop: 'in_loop',
  max_blocks: 8,
  structured: 'before_accept',
  structured_attempts: null,
  failure: 'event',
  call_ids: true,
  batch: 'serial',
  on_guard_crash: 'closed',
  on_guard_timeout: 'open',
  ungoverned: ['web search'],
} as const

const SHADOW = { version: 4, digest: 'sha256:4' } as const
const SHADOW_FACTS = [words('Version', 'v4'), code('Digest', 'sha256:4')] as const

type Row = readonly [EventBody, Partial<EventSummary>, readonly EventFact[]]

const ROWS: readonly Row[] = [
  [
    {
      type: 'session.started',
      data: { ns: 'shop', key: 'tax', environment: 'dev', harness: { name: 'loop' } },
    },
    { summary: 'shop/tax in dev' },
    [
      code('Prompt', 'shop/tax'),
      words('Environment', 'dev'),
      words('Harness', 'loop'),
      words('Semantics', '1'),
      words('Config', 'not published'),
    ],
  ],
  [
    {
      type: 'session.started',
      data: {
        semantics: 2,
        ns: 'shop',
        key: 'tax',
        environment: 'prod',
        runtime: 'rt_1',
        harness: { name: 'loop', version: '2.1' },
        sdk: '1.4.0',
        config_version: 7,
        workspace_root: '/home/ana/shop',
        deadline_at: 5_000,
        budget: { max_total_tokens: 1_000, max_input_tokens: 1, max_output_tokens: 20 },
        tags: { team: 'tax' },
        custom_types: ['gate', 'judge'],
        capabilities: CAPABILITIES,
      },
    },
    { summary: 'shop/tax in prod' },
    [
      code('Prompt', 'shop/tax'),
      words('Environment', 'prod'),
      words('Harness', 'loop 2.1'),
      words('Library', '1.4.0'),
      words('Semantics', '2'),
      code('Runtime', 'rt_1'),
      words('Config', 'v7'),
      instant('Deadline', 5_000),
      words('Budget in total', '1,000 tokens'),
      words('Budget for input', '1 token'),
      words('Budget for output', '20 tokens'),
      code('Workspace', '/home/ana/shop'),
      fields('Tags', { team: 'tax' }),
      list('Custom rule types', '`gate`', '`judge`'),
      fields('Harness can', CAPABILITIES),
    ],
  ],
  [
    { type: 'session.ended', data: { reason: 'completed', output: { total: 3 } } },
    { summary: 'completed' },
    [words('Reason', 'completed'), json('Output', { total: 3 })],
  ],
  [
    { type: 'session.ended', data: { reason: 'failed', error: 'No model.', output: 'partial' } },
    { summary: 'No model.' },
    [words('Reason', 'failed'), text('Error', 'No model.'), text('Output', 'partial')],
  ],
  [
    { type: 'prompt.rendered', data: { prompt: 'tax' } },
    { subject: 'tax', summary: 'rendered' },
    [code('Prompt', 'tax')],
  ],
  [
    { type: 'prompt.executed', data: { prompt: 'tax' } },
    { subject: 'tax', summary: 'executed' },
    [code('Prompt', 'tax')],
  ],
  [
    {
      type: 'tool.requested',
      data: { call_id: 'c1', tool: 'sh', args: { n: 1, note: 'x' }, agent: 'a2', facts: LOOKED_UP },
    },
    { subject: 'sh', summary: 'x' },
    [
      code('Tool', 'sh'),
      fields('Parameters', { n: 1, note: 'x' }),
      code('Sub-agent', 'a2'),
      ...LOOK_UP_FACTS,
      CALL,
    ],
  ],
  [
    {
      type: 'approval.requested',
      data: { call_id: 'c1', tool: 'deploy', rules: ['ask', 'gate'], expires_at: 9 },
    },
    { subject: 'deploy', summary: 'rules ask, gate' },
    [code('Tool', 'deploy'), list('Rules', '`ask`', '`gate`'), instant('Waits until', 9), CALL],
  ],
  [
    {
      type: 'approval.decided',
      data: { call_id: 'c1', decision: 'approved', by: 'mira', note: 'Once.' },
    },
    { subject: 'approval', summary: 'approved · mira' },
    [words('Answer', 'approved'), words('By', 'mira'), text('Note to the agent', 'Once.'), CALL],
  ],
  [
    { type: 'approval.decided', data: { call_id: 'c1', decision: 'denied' } },
    { subject: 'approval', summary: 'denied' },
    [words('Answer', 'not approved'), CALL],
  ],
  [
    { type: 'approval.decided', data: { call_id: 'c1', decision: 'timed_out' } },
    { subject: 'approval', summary: 'timed out' },
    [words('Answer', 'no one answered in time'), CALL],
  ],
  [
    { type: 'approval.decided', data: { call_id: 'c1', decision: 'unavailable' } },
    { subject: 'approval', summary: 'unavailable' },
    [words('Answer', 'no one could be asked'), CALL],
  ],
  [
    {
      type: 'tool.decided',
      data: { call_id: 'c1', tool: 'ls', decision: 'allowed', reason: null, rules: [] },
    },
    { verdict: 'allowed', subject: 'ls', summary: 'Allowed' },
    [code('Tool', 'ls'), words('Rules', 'none applies to this call'), CALL],
  ],
  [
    {
      type: 'tool.decided',
      data: { call_id: 'c1', tool: 'ls', decision: 'denied', reason: 'Test.', rules: [MISSING] },
    },
    { verdict: 'denied', subject: 'ls', summary: 'deploy needs test first' },
    [
      code('Tool', 'ls'),
      text('Message to the agent', 'Test.'),
      { name: 'Rules', value: { kind: 'rules', rules: [MISSING] } },
      CALL,
    ],
  ],
  [
    {
      type: 'tool.decided',
      data: { call_id: 'c1', tool: 'ls', decision: 'allowed', reason: null, rules: [SHADOWED] },
    },
    {
      verdict: 'would_deny',
      subject: 'ls',
      summary: `Allowed, would have been denied by shadow rule ${SHADOWED.rule}`,
    },
    [code('Tool', 'ls'), { name: 'Rules', value: { kind: 'rules', rules: [SHADOWED] } }, CALL],
  ],
  [
    {
      type: 'tool.invoked',
      data: {
        call_id: 'c1',
        tool: 'sh',
        outcome: 'failure',
        duration_ms: 12,
        error: 'exit 1',
        output: 'log',
        agent: 'a2',
        facts: LOOKED_UP,
      },
    },
    { subject: 'sh', summary: 'failure · exit 1', durationMs: 12 },
    [
      code('Tool', 'sh'),
      words('Outcome', 'failure, its changes to the session do not count'),
      text('Error', 'exit 1'),
      text('Result', 'log'),
      code('Sub-agent', 'a2'),
      ...LOOK_UP_FACTS,
      CALL,
    ],
  ],
  [
    { type: 'tool.invoked', data: { call_id: 'c1', tool: 'sh', outcome: 'success', output: 3 } },
    { subject: 'sh', summary: 'success · 3' },
    [code('Tool', 'sh'), words('Outcome', 'success'), json('Result', 3), CALL],
  ],
  [
    {
      type: 'tool.invoked',
      data: { call_id: 'c1', tool: 'sh', outcome: 'success', output: { n: 1, url: 'http://x' } },
    },
    { subject: 'sh', summary: 'success · http://x' },
    [
      code('Tool', 'sh'),
      words('Outcome', 'success'),
      json('Result', { n: 1, url: 'http://x' }),
      CALL,
    ],
  ],
  [
    { type: 'tool.invoked', data: { call_id: 'c1', tool: 'sh', outcome: 'unknown', output: null } },
    { subject: 'sh', summary: 'unknown' },
    [
      code('Tool', 'sh'),
      words('Outcome', 'unknown, counted as a failure'),
      json('Result', null),
      CALL,
    ],
  ],
  [
    { type: 'tool.invoked', data: { call_id: 'c1', tool: 'sh', outcome: 'denied', output: 'no' } },
    { subject: 'sh', summary: 'denied · no' },
    [code('Tool', 'sh'), words('Outcome', 'denied, it did not run'), text('Result', 'no'), CALL],
  ],
  [
    { type: 'tool.invoked', data: { call_id: 'c1', tool: 'sh', outcome: 'invalid' } },
    { subject: 'sh', summary: 'invalid' },
    [code('Tool', 'sh'), words('Outcome', 'invalid arguments, it did not run'), CALL],
  ],
  [
    {
      type: 'feedback.delivered',
      data: {
        provider: 'coach',
        name: 'Coach',
        pointer: '/feedback_providers/0',
        mode: 'shadow',
        severity: 'warning',
        summary: 'Slow down',
        observations: [
          { category: 'pace', description: 'many calls', evidence: '40 calls' },
          { category: 'plan', description: 'none' },
        ],
        suggestions: ['Plan.'],
        conditions: ['every_n_calls', 'on_file_created'],
        call_index: 1_200,
        prompt: 'tax',
        call_id: 'c1',
        delivery: 'in_result',
      },
    },
    { verdict: 'warning', subject: 'coach', summary: 'Slow down' },
    [
      text('Summary', 'Slow down'),
      list('Noticed', 'pace: many calls · 40 calls', 'plan: none'),
      list('Suggests', 'Plan.'),
      code('Provider', 'coach'),
      words('Mode', 'shadow'),
      list('Trigger', 'the number of calls', 'a file that was created'),
      words('After', 'call 1,200 of tax'),
      words('Delivered', 'in the result of the call'),
      CALL,
    ],
  ],
  [
    {
      type: 'feedback.delivered',
      data: {
        provider: 'coach',
        name: 'Coach',
        pointer: '/feedback_providers/0',
        mode: 'enforce',
        severity: 'info',
        summary: 'Fine',
        observations: [],
        suggestions: [],
        conditions: ['every_n_seconds'],
        call_index: 2,
        prompt: 'tax',
        call_id: 'c1',
        delivery: 'none',
      },
    },
    { verdict: 'info', subject: 'coach', summary: 'Fine' },
    [
      text('Summary', 'Fine'),
      code('Provider', 'coach'),
      list('Trigger', 'the time that passed'),
      words('After', 'call 2 of tax'),
      words('Delivered', 'not delivered: its harness does not support it'),
      CALL,
    ],
  ],
  [
    { type: 'feedback.failed', data: { provider: 'coach', error: 'It threw.' } },
    { subject: 'coach', summary: 'It threw.' },
    [code('Provider', 'coach'), text('Error', 'It threw.')],
  ],
  [
    {
      type: 'plan.updated',
      data: {
        steps: [
          { title: 'a', status: 'done' },
          { title: 'b', status: 'open' },
        ],
      },
    },
    { subject: 'plan', summary: '1 of 2 done' },
    [
      {
        name: 'Plan',
        value: {
          kind: 'plan',
          steps: [
            { title: 'a', status: 'done' },
            { title: 'b', status: 'open' },
          ],
        },
      },
    ],
  ],
  [
    { type: 'file.observed', data: { path: 'a.md', facts: LOOKED_UP } },
    { summary: 'a.md' },
    [code('Path', 'a.md'), ...LOOK_UP_FACTS],
  ],
  [
    { type: 'usage.recorded', data: { evaluation_id: 'e1', input_tokens: 1, output_tokens: 0 } },
    { summary: '1 token' },
    [
      words('Input', '1 token'),
      words('Output', '0 tokens'),
      words('Total', '1 token'),
      code('Evaluation', 'e1'),
    ],
  ],
  [
    {
      type: 'usage.recorded',
      data: { evaluation_id: 'e1', input_tokens: 30, output_tokens: 20, total_tokens: 1_060 },
    },
    { summary: '1,060 tokens' },
    [
      words('Input', '30 tokens'),
      words('Output', '20 tokens'),
      words('Total', '1,060 tokens'),
      code('Evaluation', 'e1'),
    ],
  ],
  [
    {
      type: 'stop.attempted',
      data: {
        via: 'structured_output',
        stop_reason: 'end_turn',
        output: { total: 3 },
        last_message: 'Done.',
        agent: 'a2',
        harness_max_blocks: 1,
        facts: LOOKED_UP,
      },
    },
    { subject: 'stop', summary: 'structured output' },
    [
      { name: 'Kind', value: { kind: 'via', via: 'structured_output' } },
      code('Stop reason', 'end_turn'),
      text('Last message', 'Done.'),
      json('Output', { total: 3 }),
      code('Sub-agent', 'a2'),
      words('Harness allows', '1 blocked stop in a row'),
      ...LOOK_UP_FACTS,
    ],
  ],
  [
    {
      type: 'stop.decided',
      data: {
        attempt: 2,
        verdict: 'blocked',
        prior_blocks: 1,
        code: 'plan.open_steps',
        params: { open: 1, total: 3 },
        message: 'Go on.',
        check: OPEN_PLAN,
      },
    },
    {
      verdict: 'blocked',
      subject: 'stop',
      summary: '1 of 3 plan steps is not done · attempt 2',
    },
    [
      words('Attempt', '2'),
      words('Blocked before', '1'),
      {
        name: 'Checks',
        value: {
          kind: 'checks',
          root: {
            checker: 'plan',
            pointer: '/task_completion_checker',
            type: 'plan',
            status: 'incomplete',
            sentence: '1 of 3 plan steps is not done',
            because: [4],
            children: null,
          },
        },
      },
      text('Message to the agent', 'Go on.'),
    ],
  ],
  ...(
    [
      ['deadline', 'the deadline had passed'],
      ['budget', 'the budget was used up'],
      ['max_blocks', 'the limit on blocked stops was reached'],
    ] as const
  ).map(
    ([bypass, why]): Row => [
      {
        type: 'stop.decided',
        data: {
          attempt: 1_000,
          verdict: 'bypassed',
          bypass,
          prior_blocks: 999,
          code: 'newer.code',
          params: {},
          message: null,
          check: null,
        },
      },
      { verdict: 'bypassed', subject: 'stop', summary: 'newer.code · attempt 1000' },
      [words('Attempt', '1,000'), words('Bypassed because', why), words('Blocked before', '999')],
    ],
  ),
  [
    {
      type: 'stop.decided',
      data: {
        attempt: 1,
        verdict: 'bypassed',
        bypass: 'max_blocks',
        prior_blocks: 0,
        code: 'stop.max_blocks',
        params: { limit: 0 },
        message: null,
        check: null,
      },
    },
    { verdict: 'would_block', subject: 'stop', summary: 'Would have been blocked · attempt 1' },
    [
      words('Attempt', '1'),
      words('Bypassed because', 'no stop may be blocked here'),
      words('Blocked before', '0'),
    ],
  ],
  [
    { type: 'completion.overridden', data: { cause: 'The user said so.', attempt: 3 } },
    { subject: 'stop', summary: 'The user said so.' },
    [text('Cause', 'The user said so.'), words('Attempt', '3')],
  ],
  [
    { type: 'completion.overridden', data: { cause: 'x' } },
    { subject: 'stop', summary: 'x' },
    [text('Cause', 'x')],
  ],
  ...(
    [
      ['guard_unreachable', 'the guard was not reachable'],
      ['guard_timeout', 'the guard did not answer in time'],
      ['hook_missing', 'a hook was missing'],
      ['unsupported_version', 'the harness has an unsupported version'],
    ] as const
  ).map(
    ([lapse, what]): Row => [
      { type: 'enforcement.lapsed', data: { code: lapse, detail: 'seen' } },
      { summary: 'seen' },
      [words('What', what), text('Seen', 'seen')],
    ],
  ),
  [
    {
      type: 'enforcement.lapsed',
      data: { code: 'hook_missing', detail: 'seen', tool: 'sh', call_id: 'c1' },
    },
    { subject: 'sh', summary: 'seen' },
    [words('What', 'a hook was missing'), text('Seen', 'seen'), code('Tool', 'sh'), CALL],
  ],
  [
    { type: 'shadow.started', data: SHADOW },
    { subject: 'shadow', summary: 'v4 is evaluated alongside the version in force' },
    SHADOW_FACTS,
  ],
  [
    {
      type: 'shadow.differed',
      data: {
        ...SHADOW,
        of: 12,
        subject: 'call',
        call_id: 'c1',
        tool: 'deploy',
        rule: 'order',
        live: 'allowed',
        shadow: 'refused',
        text: 'Test first.',
        fidelity: 'approximate',
        own_facts: true,
      },
    },
    {
      subject: 'shadow',
      summary: 'v4 would differ on deploy · order: refused instead of allowed',
    },
    [
      ...SHADOW_FACTS,
      { name: 'Decided on', value: { kind: 'event', seq: 12 } },
      words('About', 'call'),
      code('Tool', 'deploy'),
      code('Rule', 'order'),
      words('In force', 'allowed'),
      words('Shadow', 'refused'),
      text('Would have sent', 'Test first.'),
      words('Fidelity', 'approximate'),
      words('Facts', 'own look-up, possibly from a later time'),
      CALL,
    ],
  ],
  [
    {
      type: 'shadow.differed',
      data: {
        ...SHADOW,
        of: 12,
        subject: 'stop',
        live: 'allowed',
        shadow: 'refused',
        fidelity: 'exact',
      },
    },
    { subject: 'shadow', summary: 'v4 would differ on stop: refused instead of allowed' },
    [
      ...SHADOW_FACTS,
      { name: 'Decided on', value: { kind: 'event', seq: 12 } },
      words('About', 'stop'),
      words('In force', 'allowed'),
      words('Shadow', 'refused'),
      words('Fidelity', 'exact'),
    ],
  ],
  [
    { type: 'shadow.stopped', data: { ...SHADOW, reason: 'It was replaced.' } },
    { subject: 'shadow', summary: 'v4 is no longer evaluated: It was replaced.' },
    [...SHADOW_FACTS, text('Reason', 'It was replaced.')],
  ],
  [
    { type: 'lease.extended', data: { seconds: 30 } },
    { subject: 'lease', summary: '+30 s' },
    [{ name: 'Extended by', value: { kind: 'duration', ms: 30_000 } }],
  ],
  [
    { type: 'lease.expired', data: { message: 'Taken.' } },
    { subject: 'lease', summary: 'expired · Taken.' },
    [text('Message', 'Taken.')],
  ],
  [
    { type: 'config.applied', data: { digest: 'sha256:4' } },
    { subject: 'config', summary: 'sha256:4' },
    [code('Digest', 'sha256:4')],
  ],
  [
    { type: 'config.applied', data: { digest: 'sha256:4', revision: 1_200 } },
    { subject: 'config', summary: 'revision 1200 · sha256:4' },
    [code('Digest', 'sha256:4'), words('Revision', '1,200')],
  ],
  [
    { type: 'config.rejected', data: { reason: 'It is looser.', revision: 1_200 } },
    { subject: 'config', summary: 'It is looser.' },
    [text('Reason', 'It is looser.'), words('Revision', '1,200')],
  ],
  [
    { type: 'config.rejected', data: { reason: 'It is looser.' } },
    { subject: 'config', summary: 'It is looser.' },
    [text('Reason', 'It is looser.')],
  ],
  [
    {
      type: 'tool.invoked',
      data: {
        call_id: 'c1',
        tool: 'read',
        outcome: 'success',
        facts: {
          content: {
            detectors: [{ name: 'secretlint', version: '11.7.1' }],
            checked: ['keys'],
            found: [
              { rule: 'keys', kind: 'secrets', pointer: '/a', offset: 4, length: 1, tag: '0a1b' },
              {
                ...{ rule: 'keys', kind: 'secrets', pointer: '', property: 1 },
                ...{ offset: 0, length: 40, tag: '2c3d' },
              },
            ],
          },
        },
      },
    },
    { subject: 'read', summary: 'success' },
    [
      code('Tool', 'read'),
      words('Outcome', 'success'),
      list(
        'Found',
        '`keys` secrets in `/a`: 1 character from 5, tag `0a1b`',
        '`keys` secrets in the name of property 2 of the value: 40 characters from 1, tag `2c3d`',
      ),
      list('Detectors', 'secretlint 11.7.1'),
      CALL,
    ],
  ],
  [
    {
      type: 'content.decided',
      data: {
        call_id: 'c1',
        tool: 'read',
        verdict: 'withheld',
        text: 'Result withheld: secrets.',
        rules: [WITHHELD, CLEAN],
      },
    },
    {
      verdict: 'withheld',
      subject: 'read',
      summary: 'Withheld the result, which contains 2 secrets',
    },
    [
      code('Tool', 'read'),
      text('Instead of the result', 'Result withheld: secrets.'),
      { name: 'Rules', value: { kind: 'rules', rules: [WITHHELD, CLEAN] } },
      CALL,
    ],
  ],
  [{ type: 'heartbeat', data: { load: 1 } }, {}, [fields('Beat', { load: 1 })]],
  [{ type: 'note', data: { text: ' a\n b ' } }, { summary: 'a b' }, [text('Note', ' a\n b ')]],
]

test.each(ROWS)('the summary and the facts of %j are complete', (event, summary, facts) => {
  expect(summarizeEvent(event)).toEqual({ ...NO_SUMMARY, ...summary })
  expect(listEventFacts(event)).toEqual(facts)
})

test.each<[JsonObject, string]>([
  [{ content: 'x', path: 'p' }, 'p'],
  [{ content: 'x', file_path: 'f' }, 'f'],
  [{ content: 'x', command: 'run' }, 'run'],
  [{ content: 'x', cmd: 'go' }, 'go'],
  [{ content: 'x', pattern: '*.ts' }, '*.ts'],
  [{ content: 'x', url: 'http://x' }, 'http://x'],
  [{ path: 1, n: 2, content: 'x' }, 'x'],
  [{ n: 2 }, ''],
])('the event summary of a call with the arguments %j is "%s"', (args, summary) => {
  const data = { call_id: 'c1', tool: 'x', args }
  expect(summarizeEvent({ type: 'tool.requested', data }).summary).toBe(summary)
})

test.each([
  [200, 'x'.repeat(200)],
  [201, `${'x'.repeat(199)}…`],
])('the event summary of a note of %i characters has at most 200', (length, summary) => {
  const data = { text: 'x'.repeat(length) }
  expect(summarizeEvent({ type: 'note', data }).summary).toBe(summary)
})
