// Classifies changes of a config as stricter, looser or undecidable.

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
  step,
} from '../index.ts'
import { compareStrictness, takeOver } from './index.ts'

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
    'looser: A stop is let through after 9 blocks instead of 10',
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

/** `deploy` is called at these seconds under `from`, then at `last` under `to`. */
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
