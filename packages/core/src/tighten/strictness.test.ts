import { expect, it } from 'vitest'
import { celExpressions } from '../expression/index.ts'
import {
  type CheckerDocument,
  type ConfigDocument,
  compileConfig,
  type Effect,
  initialState,
  type PolicyDocument,
  type SessionEvent,
  type SessionState,
  step,
} from '../index.ts'
import { getIn, listEntries } from '../model/persistent-map.ts'
import { compareStrictness, looserWords, type StrictnessNote, takeOver } from './index.ts'

const BASE: ConfigDocument = { schema_version: 1, ns: 'any', key: 'prompt' }

const RATE = { id: 'rate', type: 'rate_limit', tools: ['deploy'], max_calls: 3, per_seconds: 60 }
const ORDER = { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }
const READS = {
  id: 'reads',
  type: 'read_before_write',
  read_tools: ['read', 'open'],
  write_tools: ['write'],
}
const LASTING = { ...READS, reads_expire_on_change: false }
const ASK = { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 }
const NEVER = { id: 'never', type: 'expression', tools: ['deploy'], deny_when: 'args.force' }
const OWN = { id: 'own', type: 'custom:policy', params: { level: 1 } }

function verdict(from: Partial<ConfigDocument>, to: Partial<ConfigDocument>): string {
  const result = compareStrictness({ ...BASE, ...from }, { ...BASE, ...to })
  if (!result.stricter) return `looser: ${result.looser.map(({ message }) => message).join('; ')}`
  return result.changes.length === 0 ? 'as strict' : 'stricter'
}

it.each<[string, object | null, object | null, string]>([
  ['a new rule', null, RATE, 'stricter'],
  ['a removed rule', RATE, null, 'looser: Policy `rate` is gone'],
  [
    'a rule that moves to shadow mode',
    RATE,
    { ...RATE, mode: 'shadow' },
    'looser: Policy `rate` is shadow',
  ],
  ['a rule that leaves shadow mode', { ...RATE, mode: 'shadow' }, RATE, 'stricter'],
  ['a removed rule in shadow mode', { ...RATE, mode: 'shadow' }, null, 'as strict'],
  [
    'another type under the same id',
    RATE,
    { ...ASK, id: 'rate' },
    'looser: Policy `rate` has a different type: approval',
  ],
  ['fewer calls', RATE, { ...RATE, max_calls: 2 }, 'stricter'],
  [
    'more calls',
    RATE,
    { ...RATE, max_calls: 4 },
    'looser: Policy `rate`: `max_calls` is 4 instead of 3',
  ],
  ['a longer window', RATE, { ...RATE, per_seconds: 90 }, 'stricter'],
  [
    'a shorter window',
    RATE,
    { ...RATE, per_seconds: 30 },
    'looser: Policy `rate`: `per_seconds` is 30 instead of 60',
  ],
  ['a limit of more tools', RATE, { ...RATE, tools: ['deploy', 'build'] }, 'stricter'],
  [
    'a limit of other tools',
    RATE,
    { ...RATE, tools: ['build'] },
    'looser: Policy `rate` no longer limits `deploy`',
  ],
  [
    'one more prerequisite',
    ORDER,
    { ...ORDER, dependencies: { deploy: ['test', 'a'] } },
    'stricter',
  ],
  [
    'one prerequisite less',
    ORDER,
    { ...ORDER, dependencies: { deploy: [] } },
    'looser: Policy `order`: `deploy` no longer needs `test`',
  ],
  [
    'more tools that write',
    { ...READS, writes_count_as_reads: false },
    { ...READS, writes_count_as_reads: false, write_tools: ['write', 'edit'] },
    'stricter',
  ],
  [
    'more tools that write, whose writes count as reads',
    READS,
    { ...READS, write_tools: ['write', 'edit'] },
    'looser: Policy `reads`: a successful call of `edit` counts as a read',
  ],
  [
    'fewer tools that read, where reads expire',
    READS,
    { ...READS, read_tools: ['read'] },
    'looser: Policy `reads`: a successful call of `open` no longer counts as a read',
  ],
  ['fewer tools that read', LASTING, { ...LASTING, read_tools: ['read'] }, 'stricter'],
  ['reads that expire', LASTING, READS, 'stricter'],
  ['reads that last', READS, LASTING, 'looser: Policy `reads`: reads no longer expire on change'],
  [
    'paths of another argument',
    READS,
    { ...READS, path_params: ['file'] },
    'looser: Policy `reads` reads the path from other arguments or a different mount point',
  ],
  ['a shorter approval timeout', ASK, { ...ASK, timeout_seconds: 30 }, 'stricter'],
  ['an approval of every call', { ...ASK, when: 'args.force' }, ASK, 'stricter'],
  [
    'an approval of some calls',
    ASK,
    { ...ASK, when: 'args.force' },
    'looser: Policy `ask` asks only when `args.force`',
  ],
  [
    'an approval of other calls',
    { ...ASK, when: 'args.force' },
    { ...ASK, when: 'true' },
    'looser: Policy `ask` has a different condition, which may ask less often',
  ],
  [
    'a longer approval timeout',
    ASK,
    { ...ASK, timeout_seconds: 90 },
    'looser: Policy `ask`: `timeout_seconds` is 90 instead of 60',
  ],
  [
    'another condition',
    NEVER,
    { ...NEVER, deny_when: 'true' },
    'looser: Policy `never` has a different condition, which may allow what the old one denied',
  ],
  [
    'the same condition for every tool',
    NEVER,
    { id: 'never', type: 'expression', deny_when: 'args.force' },
    'stricter',
  ],
  ['another message for the agent', NEVER, { ...NEVER, reason: 'No.' }, 'as strict'],
  [
    'other settings of a custom rule',
    OWN,
    { ...OWN, params: { level: 2 } },
    'looser: Policy `own` has a different `params`',
  ],
  [
    'an unknown field',
    RATE,
    { ...RATE, burst: 9 },
    'looser: Policy `rate` has a different `burst`',
  ],
])('a change of policies is classified: %s', (...[, from, to, expected]) => {
  // Each one is written above with the fields of its type.
  const of = (policy: object | null) => ({
    policies: policy === null ? [] : [policy as PolicyDocument],
  })
  expect(verdict(of(from), of(to))).toBe(expected)
})

const PLAN = { id: 'plan', type: 'plan' }
const FILES = { id: 'files', type: 'files_exist', files: ['a'] }
const JUDGE = { id: 'judge', type: 'llm_judge', criteria: 'Done.' }
const LEFT_OUT = { id: 'own', type: 'custom:check', optional: true }

function group(all_must_pass: boolean, ...checkers: readonly CheckerDocument[]): CheckerDocument {
  return { id: 'group', type: 'composite', all_must_pass, checkers }
}

it.each<[string, object | null, object | null, string]>([
  ['a first check', null, PLAN, 'stricter'],
  ['no check', PLAN, null, 'looser: Stops are no longer checked'],
  ['one more check', PLAN, group(true, PLAN, FILES), 'stricter'],
  [
    'a choice of checks',
    PLAN,
    group(false, PLAN, FILES),
    'looser: The completion check may pass where `plan` does not',
  ],
  ['one choice less', group(false, PLAN, FILES), FILES, 'stricter'],
  [
    'one check less',
    group(true, PLAN, FILES),
    FILES,
    'looser: The completion check may pass where `plan` does not',
  ],
  ['one more file', FILES, { ...FILES, files: ['a', 'b'] }, 'stricter'],
  [
    'another file',
    FILES,
    { ...FILES, files: ['b'] },
    'looser: The completion check may pass where `files` does not',
  ],
  [
    'a judge that may lack a model',
    JUDGE,
    { ...JUDGE, require_adapter: false },
    'looser: The completion check may pass where `judge` does not',
  ],
  [
    'a choice reduced to its optional check',
    group(false, LEFT_OUT, PLAN),
    group(true, LEFT_OUT),
    'looser: The completion check may pass where `group` does not',
  ],
])('a change of checkers is classified: %s', (...[, from, to, expected]) => {
  const of = (checker: object | null) =>
    checker === null ? {} : { task_completion_checker: checker as CheckerDocument }
  expect(verdict(of(from), of(to))).toBe(expected)
})

it('a rule that moves from a section to the prompt is stricter, and looser when it moves back', () => {
  const section = { sections: [{ id: 's', tools: ['deploy'], policies: [ORDER] }] }
  expect(verdict(section, { policies: [ORDER] })).toBe('stricter')
  expect(verdict({ policies: [ORDER] }, section)).toBe(
    'looser: Policy `order` governs only `deploy`',
  )
})

it.each<[string, Partial<ConfigDocument>, Partial<ConfigDocument>, string]>([
  ['another prompt', {}, { key: 'other' }, 'looser: It belongs to another prompt'],
  [
    'aliases',
    {},
    { aliases: { Write: 'write' } },
    'looser: The aliases differ, so rules govern other calls',
  ],
  [
    'redaction',
    {},
    { redaction: [{ id: 'r', keys: ['path'] }] },
    'looser: The redaction differs, so rules see other arguments',
  ],
  ['more blocked stops', {}, { limits: { max_stop_blocks: 11 } }, 'stricter'],
  [
    'fewer blocked stops',
    {},
    { limits: { max_stop_blocks: 9 } },
    'looser: A stop is allowed after 9 blocks instead of 10',
  ],
  ['an error at the end', {}, { final_verification: 'error' }, 'stricter'],
  [
    'a warning at the end',
    { final_verification: 'error' },
    {},
    'looser: An output with an incomplete task is only a warning',
  ],
  ['advice', {}, { feedback_exclusive: true, description: 'Other.' }, 'as strict'],
])('a change of the document is classified: %s', (...[, from, to, expected]) => {
  expect(verdict(from, to)).toBe(expected)
})

function compiled(...policies: readonly PolicyDocument[]) {
  const result = compileConfig({ ...BASE, policies }, { expressions: celExpressions() })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

function lastDeploy(from: PolicyDocument, to: PolicyDocument, at: readonly number[]): Effect {
  const event = (second: number, i: number): SessionEvent => ({
    session: 'sess_any',
    seq: i + 1,
    at: second * 1000,
    type: 'tool.requested',
    data: { call_id: `c${i}`, tool: 'deploy', args: {} },
  })
  const [before, after] = [compiled(from), compiled(to)]
  let state = initialState('any:prompt')
  for (const [i, second] of at.slice(0, -1).entries()) {
    state = step(before, state, event(second, i)).state
  }
  const last = event(at.at(-1) ?? 0, at.length)
  const [effect] = step(after, takeOver(before, after, state), last).effects
  if (effect === undefined) throw new Error('Nothing was decided.')
  return effect
}

it.each([
  [5, 3, [0, 1, 2, 3, 70, 71, 72], 'allowed'],
  [5, 3, [0, 20, 21, 22, 62, 63], 'denied'],
  [5, 2, [0, 1, 2, 50, 55, 58, 70], 'denied'],
])(
  'a rate limit of %i calls that becomes one of %i keeps the newest calls',
  (...[was, is, at, expected]) => {
    const of = (max_calls: number) => ({ ...RATE, max_calls })
    expect(lastDeploy(of(was), of(is), at).data).toMatchObject({ decision: expected })
  },
)

const certain = (pointer: string, message: string): StrictnessNote => ({ pointer, message })
const unproven = (pointer: string, message: string): StrictnessNote => ({
  pointer,
  message,
  isUnproven: true,
})
const stricter = (...changes: readonly StrictnessNote[]) => ({ stricter: true, changes })
const looser = (...notes: readonly StrictnessNote[]) => ({ stricter: false, looser: notes })
const prompt = (...policies: readonly object[]) => ({ policies })
const section = (tools: readonly string[] | undefined, ...policies: readonly object[]) => ({
  sections: [{ id: 's', ...(tools === undefined ? {} : { tools }), policies }],
})
const checked = (checker: object) => ({ task_completion_checker: checker })
const CHECKER = '/task_completion_checker'
const demandsMore = stricter(certain(CHECKER, 'The completion check requires more'))
const mayPass = (...ids: readonly string[]) =>
  looser(
    ...ids.map((id) => unproven(CHECKER, `The completion check may pass where \`${id}\` does not`)),
  )
const TESTED = { id: 'tested', type: 'tool_succeeded', tool: 'test', after: ['write'] }
const HOLDS = { id: 'holds', type: 'expression', require: 'calls.a.calls > 0' }
const both = (...checkers: readonly object[]) => ({ id: 'both', type: 'composite', checkers })
const any = (...checkers: readonly object[]) => ({ ...both(...checkers), all_must_pass: false })

it.each<[string, object, object, object]>([
  ['a new rule', {}, prompt(RATE), stricter(certain('/policies/0', 'Policy `rate` is new'))],
  ['a new rule in shadow mode', {}, prompt({ ...RATE, mode: 'shadow' }), stricter()],
  [
    'rules that act again',
    prompt({ ...RATE, mode: 'shadow' }, { ...ORDER, mode: 'off' }),
    prompt(RATE, { ...ORDER, mode: 'enforce' }),
    stricter(
      certain('/policies/0', 'Policy `rate` acts now (it was shadow)'),
      certain('/policies/1', 'Policy `order` acts now (it was off)'),
    ),
  ],
  [
    'rules that act no longer, are gone, or have another type',
    prompt(RATE, ORDER, ASK),
    prompt({ ...ASK, type: 'custom:ask' }, { ...RATE, mode: 'off' }),
    looser(
      certain('/policies/1/mode', 'Policy `rate` is off'),
      certain('/policies/1', 'Policy `order` is gone'),
      unproven('/policies/0/type', 'Policy `ask` has a different type: custom:ask'),
    ),
  ],
  [
    'a narrower rate limit',
    prompt(RATE),
    prompt({ ...RATE, tools: ['a', 'deploy', 'b'], max_calls: 2, per_seconds: 90, optional: true }),
    stricter(
      certain('/policies/0/tools', 'Policy `rate` limits `a`, `b`'),
      certain('/policies/0/max_calls', 'Policy `rate`: `max_calls` is 2 instead of 3'),
      certain('/policies/0/per_seconds', 'Policy `rate`: `per_seconds` is 90 instead of 60'),
    ),
  ],
  [
    'more prerequisites',
    prompt(ORDER),
    prompt({ ...ORDER, dependencies: { deploy: ['a', 'test'], ship: ['b'] }, optional: true }),
    stricter(
      certain('/policies/0/dependencies/deploy', 'Policy `order`: `deploy` needs `a`'),
      certain('/policies/0/dependencies/ship', 'Policy `order`: `ship` needs `b`'),
    ),
  ],
  [
    'more tools that make a prerequisite outdated',
    prompt(ORDER),
    prompt({ ...ORDER, after: ['edit'] }),
    stricter(
      certain('/policies/0/after', 'Policy `order`: prerequisites must also be newer than `edit`'),
    ),
  ],
  [
    'fewer tools that make a prerequisite outdated',
    prompt({ ...ORDER, after: ['edit'] }),
    prompt({ ...ORDER, after: ['move'] }),
    looser(certain('/policies/0/after', 'Policy `order`: prerequisites may be older than `edit`')),
  ],
  [
    'prerequisites of a tool that the newer rule does not name',
    prompt(ORDER),
    prompt({ ...ORDER, dependencies: {}, note: 1 }),
    looser(
      certain('/policies/0/dependencies/deploy', 'Policy `order`: `deploy` no longer needs `test`'),
      unproven('/policies/0/note', 'Policy `order` has a different `note`'),
    ),
  ],
  [
    'a read rule for more writes, whose reads expire and fewer calls count',
    prompt({ ...LASTING, write_tools: ['write'] }),
    prompt({
      ...READS,
      read_tools: ['read'],
      write_tools: ['write', 'edit'],
      writes_count_as_reads: false,
      path_params: ['path', 'file_path'],
      optional: true,
    }),
    stricter(
      certain('/policies/0/write_tools', 'Policy `reads` governs writes of `edit`'),
      certain('/policies/0/reads_expire_on_change', 'Policy `reads`: reads expire on change'),
      certain(
        '/policies/0/read_tools',
        'Policy `reads`: a successful call of `open`, `write` no longer counts as a read',
      ),
    ),
  ],
  [
    'a read rule that is looser in every respect, certain differences first',
    prompt(READS),
    prompt({
      ...READS,
      read_tools: ['read', 'show'],
      write_tools: [],
      reads_expire_on_change: false,
      mount_point: '/w',
      note: 1,
    }),
    looser(
      certain('/policies/0/write_tools', 'Policy `reads` no longer governs writes of `write`'),
      certain(
        '/policies/0/reads_expire_on_change',
        'Policy `reads`: reads no longer expire on change',
      ),
      certain(
        '/policies/0/read_tools',
        'Policy `reads`: a successful call of `show` counts as a read',
      ),
      certain(
        '/policies/0/read_tools',
        'Policy `reads`: a successful call of `open`, `write` no longer counts as a read',
      ),
      unproven('/policies/0/note', 'Policy `reads` has a different `note`'),
      unproven(
        '/policies/0',
        'Policy `reads` reads the path from other arguments or a different mount point',
      ),
    ),
  ],
  [
    'an approval of more calls in less time',
    prompt(ASK),
    prompt({ ...ASK, tools: ['deploy', 'ship'], timeout_seconds: 30, optional: true }),
    stricter(
      certain('/policies/0/tools', 'Policy `ask` asks about `ship`'),
      certain('/policies/0/timeout_seconds', 'Policy `ask`: `timeout_seconds` is 30 instead of 60'),
    ),
  ],
  [
    'a condition for every tool',
    prompt(NEVER),
    prompt({ id: 'never', type: 'expression', deny_when: 'args.force', optional: true }),
    stricter(certain('/policies/0/tools', 'Policy `never` judges every tool')),
  ],
  [
    'the opposite condition for one tool only',
    prompt({ id: 'never', type: 'expression', deny_when: 'args.force' }),
    prompt({ id: 'never', type: 'expression', tools: ['deploy'], require: 'args.force', note: 1 }),
    looser(
      certain('/policies/0/tools', 'Policy `never` judges only `deploy`'),
      unproven(
        '/policies/0',
        'Policy `never` has a different condition, which may allow what the old one denied',
      ),
      unproven('/policies/0/note', 'Policy `never` has a different `note`'),
    ),
  ],
  [
    'a custom rule of fewer tools, which may also be left out',
    prompt({ ...OWN, tools: ['a', 'b'] }),
    prompt({ ...OWN, tools: ['b', 'c'], optional: true }),
    looser(
      certain('/policies/0/tools', 'Policy `own` no longer judges `a`'),
      unproven('/policies/0/optional', 'Policy `own` has a different `optional`'),
    ),
  ],
  [
    'a rule that moves to the prompt',
    section(['deploy'], ORDER),
    { ...section(['deploy']), ...prompt(ORDER) },
    stricter(certain('/policies/0', 'Policy `order` governs every tool')),
  ],
  [
    'a section with other tools',
    section(['deploy', 'a'], ORDER),
    section(['deploy', 'b'], ORDER),
    looser(certain('/sections/0/policies/0', 'Policy `order` no longer governs `a`')),
  ],
  [
    'a section that declares its first tool',
    section(undefined, ORDER),
    section(['deploy'], ORDER),
    stricter(certain('/sections/0/policies/0', 'Policy `order` governs `deploy`')),
  ],
  ['a first check', {}, checked(PLAN), stricter(certain(CHECKER, 'Stops are now checked'))],
  ['no check', checked(PLAN), {}, looser(certain(CHECKER, 'Stops are no longer checked'))],
  ['the same check', checked(PLAN), checked(PLAN), stricter()],
  ['one more check', checked(PLAN), checked(both(FILES, PLAN)), demandsMore],
  [
    'two checks less',
    checked(both(PLAN, both(FILES, JUDGE))),
    checked(PLAN),
    mayPass('files', 'judge'),
  ],
  [
    'a choice instead of both',
    checked(both(PLAN, FILES)),
    checked(any(PLAN, FILES)),
    mayPass('plan', 'files'),
  ],
  ['both instead of a choice', checked(any(PLAN, FILES)), checked(both(PLAN, FILES)), demandsMore],
  ['a smaller choice', checked(any(PLAN, FILES, JUDGE)), checked(any(JUDGE, PLAN)), demandsMore],
  ['a larger choice', checked(any(PLAN, FILES)), checked(any(PLAN, FILES, JUDGE)), mayPass('both')],
  [
    'a choice of checks that each require it',
    checked(FILES),
    checked(any({ ...FILES, files: ['b', 'a'] }, both(PLAN, FILES))),
    demandsMore,
  ],
  ['the only way that is never left out', checked(any(LEFT_OUT, PLAN)), checked(PLAN), demandsMore],
  [
    'the only way that may be left out',
    checked(any(LEFT_OUT, PLAN)),
    checked(LEFT_OUT),
    mayPass('both'),
  ],
  [
    'a choice of nothing that is certain',
    checked(LEFT_OUT),
    checked(any(LEFT_OUT)),
    mayPass('own'),
  ],
  [
    'newer than more tools',
    checked(TESTED),
    checked({ ...TESTED, after: ['edit', 'write'] }),
    demandsMore,
  ],
  ['newer than fewer tools', checked(TESTED), checked({ ...TESTED, after: [] }), mayPass('tested')],
  [
    'newer than no tool',
    checked({ id: 'tested', type: 'tool_succeeded', tool: 'test' }),
    checked(TESTED),
    demandsMore,
  ],
  ['another tool', checked(TESTED), checked({ ...TESTED, tool: 'lint' }), mayPass('tested')],
  [
    'a judge that needs a model',
    checked({ ...JUDGE, require_adapter: false }),
    checked(JUDGE),
    demandsMore,
  ],
  [
    'a judge that never needs a model',
    checked({ ...JUDGE, require_adapter: false }),
    checked({ ...JUDGE, require_adapter: false, note: 1 }),
    demandsMore,
  ],
  ['other criteria', checked(JUDGE), checked({ ...JUDGE, criteria: 'Tested.' }), mayPass('judge')],
  ['another judge', checked(JUDGE), checked({ ...JUDGE, id: 'other' }), mayPass('judge')],
  [
    'another message for the same condition',
    checked(HOLDS),
    checked({ ...HOLDS, feedback: 'No.' }),
    demandsMore,
  ],
  ['another condition', checked(HOLDS), checked({ ...HOLDS, require: 'true' }), mayPass('holds')],
  [
    'other settings of custom code',
    checked(LEFT_OUT),
    checked({ ...LEFT_OUT, params: {} }),
    mayPass('own'),
  ],
  [
    'limits and the end of a run',
    { limits: { max_stop_blocks: 5 } },
    { final_verification: 'error' },
    stricter(
      certain('/limits/max_stop_blocks', 'A stop is allowed after 10 blocks instead of 5'),
      certain('/final_verification', 'An output with an incomplete task is an error'),
    ),
  ],
  [
    'looser limits, with a limit and a field that only another build knows',
    { final_verification: 'error', limits: { max_stop_blocks: 5, other: 1 } },
    { final_verification: 'warning', limits: { max_stop_blocks: 4, other: 2 }, future: true },
    looser(
      certain('/limits/max_stop_blocks', 'A stop is allowed after 4 blocks instead of 5'),
      certain('/final_verification', 'An output with an incomplete task is only a warning'),
      unproven('/future', 'The field `future` differs'),
      unproven('/limits/other', 'The limit `other` differs'),
    ),
  ],
  [
    'another name',
    {},
    { name: 'Other' },
    looser(
      unproven(
        '/name',
        'The prompt has a different name, and the session counts calls by that name',
      ),
    ),
  ],
])('a change is described completely: %s', (...[, from, to, expected]) => {
  expect(compareStrictness({ ...BASE, ...from }, { ...BASE, ...to })).toEqual(expected)
})

it('differences that are only not proven are not called looser', () => {
  const [sure, unsure] = [certain('', 'sure'), unproven('', 'unsure')]
  expect([[], [sure, unsure], [unsure]].map(looserWords)).toEqual([
    'is looser',
    'is looser',
    'is not proven to be as strict',
  ])
})

type Requested = readonly [tool: string, path?: string]

function stateAfter(
  config: ReturnType<typeof compiled>,
  calls: readonly Requested[],
): SessionState {
  let state = initialState('any:prompt')
  const fold = (event: Pick<SessionEvent, 'type' | 'data'>) => {
    const seq = state.seq + 1
    // Type and data match; only the union's type does not express it.
    const whole = { session: 'sess_any', seq, at: seq * 1000, ...event } as SessionEvent
    state = step(config, state, whole).state
  }
  for (const [i, [tool, path]] of calls.entries()) {
    const call = { call_id: `c${i}`, tool }
    fold({ type: 'tool.requested', data: { ...call, args: path === undefined ? {} : { path } } })
    if (path === undefined) continue
    const facts = { files: { [path]: { exists: true } } }
    fold({ type: 'tool.invoked', data: { ...call, outcome: 'success', facts } })
  }
  return state
}

it('a waiting call keeps the results of unchanged rules and is judged by the others, if they can', () => {
  const rate = (id: string, fields: object = {}) => ({ ...RATE, id, max_calls: 5, ...fields })
  const from = compiled(
    rate('kept'),
    ASK,
    { ...ORDER, mode: 'shadow' },
    rate('changed'),
    rate('off', { mode: 'off' }),
  )
  const faster = { ...ASK, timeout_seconds: 30 }
  const to = compiled(
    faster,
    ORDER,
    rate('kept'),
    rate('changed', { max_calls: 4 }),
    rate('off'),
    NEVER,
    { ...ORDER, id: 'more' },
    { ...ORDER, id: 'idle', mode: 'off' },
  )
  const before = stateAfter(from, [['build'], ['deploy']])
  const after = takeOver(from, to, before)
  const head = (rule: string, at: number, type: string) => ({
    rule,
    pointer: `/policies/${at}`,
    type,
    mode: 'enforce',
  })
  const within = (max_calls: number) => ({
    result: 'allow',
    code: 'rate.within_limit',
    params: { max_calls, per_seconds: 60 },
    because: [],
  })
  const missing = {
    result: 'deny',
    code: 'sequential.missing',
    params: { tool: 'deploy', missing: ['test'] },
    because: [],
    reason_class: 'prerequisite_missing',
    reason: "Tool 'deploy' requires: test",
  }
  expect(getIn(after.pending, 'c1')?.approval).toEqual({
    expiresAt: 62_000,
    rules: [
      { ...head('order', 1, 'sequential_dependency'), ...missing },
      { ...head('kept', 2, 'rate_limit'), ...within(5) },
      { ...head('changed', 3, 'rate_limit'), ...within(4) },
      { ...head('off', 4, 'rate_limit'), ...within(5) },
      {
        ...head('never', 5, 'expression'),
        result: 'error',
        code: 'rule.not_judged',
        params: { tool: 'deploy' },
        because: [],
        reason_class: 'could_not_evaluate',
        reason:
          "Rule 'never' came into force while this call waited, so it has not judged it. Make the call again.",
      },
      { ...head('more', 6, 'sequential_dependency'), ...missing },
    ],
  })
  expect(getIn(after.pending, 'c0')).toEqual(getIn(before.pending, 'c0'))
  expect(getIn(after.pending, 'c0')?.approval).toBeNull()
})

it.each<[string, readonly object[], readonly string[]]>([
  ['the same rules', [RATE, READS], ['rate', 'reads']],
  [
    'the same meaning in other words',
    [
      { ...RATE, tools: ['build', 'deploy'] },
      { ...READS, read_tools: ['open', 'read'] },
    ],
    ['rate', 'reads'],
  ],
  [
    'rules that are off',
    [
      { ...RATE, mode: 'off' },
      { ...READS, mode: 'off' },
    ],
    [],
  ],
  ['another limited tool', [{ ...RATE, tools: ['build'] }, READS], ['reads']],
  [
    'another type',
    [
      { ...ORDER, id: 'rate' },
      { ...ORDER, id: 'reads' },
    ],
    [],
  ],
  ['another reading tool', [RATE, { ...READS, read_tools: ['read', 'show'] }], ['rate']],
  ['writes that do not count', [RATE, { ...READS, writes_count_as_reads: false }], ['rate']],
  ['another path argument', [RATE, { ...READS, path_params: ['file'] }], ['rate']],
  ['no rules', [], []],
])(
  'a session that moves to a version with %s keeps the memory of rules with the same meaning',
  (...[, policies, kept]) => {
    // The table gives whole policies.
    const of = (rules: readonly object[]) => compiled(...(rules as readonly PolicyDocument[]))
    const from = of([RATE, READS])
    const state = stateAfter(from, [['deploy'], ['read', 'a.txt']])
    const next = takeOver(from, of(policies), state)
    expect([...listEntries(next.rates), ...listEntries(next.reads)].map(([id]) => id)).toEqual(kept)
  },
)
