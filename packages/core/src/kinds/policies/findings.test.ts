import { expect, it, test } from 'vitest'
import { initialState, SEMANTICS, type SessionState } from '../../index.ts'
import type { RuleResult } from '../../model/effect.ts'
import type { ApprovalDecided } from '../../model/event.ts'
import { createWorkLimit } from '../../model/expression-engine.ts'
import type { Facts, FileFact, RuleAnswer } from '../../model/fact.ts'
import type { JsonObject } from '../../model/json.ts'
import { mapFrom } from '../../model/persistent-map.ts'
import type { ToolTally } from '../../model/state.ts'
import { policyRule } from '../policies.ts'
import { type ApprovalDocument, approval, computeTimeout, settle } from './approval.ts'
import { customPolicy } from './custom.ts'
import { conclude, evaluateRules } from './evaluate.ts'
import type { Finding } from './finding.ts'
import { findPaths, resolvePathForm } from './path-argument.ts'
import { bareCall, type CompiledPolicy, createPolicy, type Policy } from './policy.ts'
import { type RateLimitDocument, rateLimit } from './rate-limit.ts'
import { type ReadBeforeWriteDocument, readBeforeWrite } from './read-before-write.ts'
import { sequentialDependency } from './sequential-dependency.ts'

const NOW: SessionState = { ...initialState('a:b'), semantics: SEMANTICS }
const OLD: SessionState = { ...NOW, semantics: 1 }

const allowed = (code: string, params: JsonObject, because: readonly number[] = []): Finding => ({
  result: 'allow',
  code,
  params,
  because,
})
const refused =
  (result: 'deny' | 'error', reason_class: NonNullable<Finding['reason_class']>) =>
  (
    code: string,
    params: JsonObject,
    ...[reason, because = []]: readonly [string, (readonly number[])?]
  ): Finding => ({
    result,
    code,
    params,
    because,
    reason_class,
    reason,
  })
const denied = refused('deny', 'rule_said_no')
const unmet = refused('deny', 'prerequisite_missing')
const unclear = refused('error', 'could_not_evaluate')

const READS: ReadBeforeWriteDocument = {
  id: 'reads',
  type: 'read_before_write',
  read_tools: ['read'],
  write_tools: ['write'],
}
const LASTING: ReadBeforeWriteDocument = { ...READS, reads_expire_on_change: false }

interface Written {
  readonly document?: ReadBeforeWriteDocument
  readonly state?: SessionState
  readonly facts?: Facts
}

function write(
  args: JsonObject,
  { document = READS, state = NOW, facts }: Written,
): Finding | null {
  const request = { args, ...(facts === undefined ? {} : { facts }) }
  const paths = [findPaths(resolvePathForm(document), request, state)]
  const call = { tool: 'write', args, facts, paths }
  return readBeforeWrite(document).check(call, state, createWorkLimit(state))
}

const file = (fact: FileFact): Written => ({ facts: { files: { 'a.txt': fact } } })
const known = (fingerprint: string | null): SessionState => ({
  ...NOW,
  reads: mapFrom([['reads', mapFrom([['a.txt', { seq: 3, fingerprint }]])]]),
})
const many = (count: number) => ({ path: Array.from({ length: count }, (_, i) => `f${i}`) })
const path = 'a.txt'
const params = { path }
const EXISTS: FileFact = { exists: true, kind: 'file', fingerprint: '1' }
const HIDDEN = unclear(
  'file.path_hidden',
  { path: '' },
  'The path of this call is hidden, so the write cannot be checked.',
)
const notChecked = (given: string) =>
  unclear(
    'file.existence_unknown',
    { path: given },
    `File '${given}' could not be checked, so it cannot be overwritten.`,
  )
const notRead = (given: string) =>
  unmet('file.not_read', { path: given }, `File '${given}' must be read before overwriting.`)
const changed = unmet(
  'file.changed',
  params,
  "File 'a.txt' changed since it was read. Read it again before overwriting.",
  [3],
)

test.each<[string, JsonObject, Written, Finding | null]>([
  ['without a path', { text: 'x' }, {}, null],
  ['with a value that is no path', { path: { text: 'x' }, file_path: 3 }, {}, null],
  [
    'whose arguments are no object',
    { $value: 'x' },
    {},
    unclear(
      'arguments.not_an_object',
      {},
      "The arguments of this call are not an object, so rule 'reads' could not be evaluated.",
    ),
  ],
  ['whose arguments are no object, under semantics 1', { $value: 'x' }, { state: OLD }, null],
  ['with an argument of that name', { $value: 'x', path }, {}, notChecked('a.txt')],
  ['with a redacted path', { path: { $redacted: 'r' } }, {}, HIDDEN],
  ['with a truncated path in a list', { path: ['b', { $truncated: 9 }] }, {}, HIDDEN],
  [
    'with too many paths',
    many(101),
    {},
    unclear(
      'file.too_many_paths',
      { most: 100 },
      'This call names more than 100 paths, so the write cannot be checked.',
    ),
  ],
  ['with as many paths as are looked up', many(100), {}, notChecked('f0')],
  ['with a list of paths, under semantics 1', many(2), { state: OLD }, null],
  [
    'outside the workspace',
    { path: '../a' },
    {},
    denied('file.outside_workspace', { path: '../a' }, "File '../a' is outside the workspace."),
  ],
  [
    'that leaves a folder which may be a link',
    { path: 'x/../a.txt' },
    file({ exists: false }),
    unclear(
      'file.behind_link',
      { path: 'x/../a.txt' },
      "Path 'x/../a.txt' leaves a folder by '..' that is a link or could not be checked. Give the path without '..'.",
    ),
  ],
  [
    'that leaves a folder which is no link',
    { path: 'x/../a.txt' },
    { facts: { files: { 'a.txt': { exists: false } }, links: { x: false } } },
    allowed('file.new', { path: 'x/../a.txt' }),
  ],
  ['whose file is unknown', { path }, file({ exists: 'unknown' }), notChecked('a.txt')],
  ['of a new file', { path }, file({ exists: false }), allowed('file.new', params)],
  [
    'of a directory',
    { path },
    file({ exists: true, kind: 'directory' }),
    denied('file.is_directory', params, "'a.txt' is a directory and cannot be overwritten."),
  ],
  ['of a file that was not read', { path }, file(EXISTS), notRead('a.txt')],
  [
    'of a file that was read',
    { path },
    { ...file(EXISTS), state: known('1') },
    allowed('file.was_read', params, [3]),
  ],
  ['of a file that changed', { path }, { ...file(EXISTS), state: known('2') }, changed],
  [
    'of a file that changed, where reads last',
    { path },
    { ...file(EXISTS), state: known('2'), document: LASTING },
    allowed('file.was_read', params, [3]),
  ],
  [
    'of a file whose content was not known',
    { path },
    { ...file(EXISTS), state: known(null) },
    allowed('file.was_read', params, [3]),
  ],
  [
    'of a file whose content is not known',
    { path },
    { ...file({ exists: true }), state: known('1') },
    allowed('file.was_read', params, [3]),
  ],
  [
    'of two files of which the second was not read',
    { path: 'new.txt', file_path: path },
    { facts: { files: { 'new.txt': { exists: false }, 'a.txt': EXISTS } } },
    notRead('a.txt'),
  ],
  [
    'of two new files',
    { path, file_path: 'b.txt' },
    { facts: { files: { 'a.txt': { exists: false }, 'b.txt': { exists: false } } } },
    allowed('file.new', params),
  ],
  [
    'of two files, under semantics 1',
    { path, file_path: '../b' },
    { ...file({ exists: false }), state: OLD },
    allowed('file.new', params),
  ],
  [
    'below a mount point, by another argument',
    { target: '/w/a.txt', path: '../b' },
    { ...file(EXISTS), document: { ...READS, path_params: ['target'], mount_point: '/w' } },
    notRead('/w/a.txt'),
  ],
])('read_before_write decides a write %s', (...[, args, written, finding]) => {
  expect(write(args, written)).toEqual(finding)
})

const tally = (successSeq: number | null): ToolTally => ({
  calls: 1,
  succeeded: 1,
  failed: 0,
  denied: 0,
  last: 'success',
  lastSeq: successSeq,
  successSeq,
})

it('sequential_dependency denies only what has prerequisites, and names each missing one once', () => {
  const document = {
    id: 'o',
    type: 'sequential_dependency',
    dependencies: { deploy: ['test', 'build', 'test', 'lint'], lint: [] },
  } as const
  const policy = sequentialDependency(document)
  const state = {
    ...NOW,
    tallies: mapFrom([
      ['test', tally(9)],
      ['lint', tally(4)],
      ['build', tally(null)],
    ]),
  }
  const check = (tool: string, at: SessionState) =>
    policy.check(bareCall(tool), at, createWorkLimit(at))
  expect(policy.denies).toEqual(['deploy'])
  expect(policyRule(document).denies(document)).toEqual(['deploy'])
  expect(policyRule(document).governs(document)).toEqual(['deploy', 'lint'])
  expect(policy.order?.('deploy', state)).toMatchObject({ missing: ['build'], after: [] })
  expect(policy.order?.('other', state)).toMatchObject({ missing: [] })
  expect(check('deploy', state)).toEqual(
    unmet(
      'sequential.missing',
      { tool: 'deploy', missing: ['build'] },
      "Tool 'deploy' requires: build",
      [4, 9],
    ),
  )
  expect(check('deploy', NOW)).toEqual(
    unmet(
      'sequential.missing',
      { tool: 'deploy', missing: ['build', 'lint', 'test'] },
      "Tool 'deploy' requires: build, lint, test",
    ),
  )
  const done = {
    ...NOW,
    tallies: mapFrom([
      ['test', tally(9)],
      ['lint', tally(4)],
      ['build', tally(5)],
    ]),
  }
  expect(check('deploy', done)).toEqual(
    allowed('sequential.satisfied', { needed: ['build', 'lint', 'test'] }, [4, 5, 9]),
  )
  expect(check('other', NOW)).toEqual(allowed('sequential.satisfied', { needed: [] }))
  expect(policyRule(document).view(document, state)).toEqual({
    sequences: [
      {
        rule: 'o',
        mode: 'enforce',
        tool: 'deploy',
        needs: [
          { tool: 'test', seq: 9, isOutdated: false },
          { tool: 'build', seq: null, isOutdated: false },
          { tool: 'test', seq: 9, isOutdated: false },
          { tool: 'lint', seq: 4, isOutdated: false },
        ],
      },
      { rule: 'o', mode: 'enforce', tool: 'lint', needs: [] },
    ],
    rates: [],
  })
})

it('sequential_dependency with after names what is missing, outdated and newer', () => {
  const document = {
    id: 'o',
    type: 'sequential_dependency',
    dependencies: { deploy: ['test', 'build', 'lint'] },
    after: ['write', 'format', 'edit'],
  } as const
  const policy = sequentialDependency(document)
  const at = (seqs: Readonly<Record<string, number>>): SessionState => ({
    ...NOW,
    tallies: mapFrom(Object.entries(seqs).map(([tool, seq]) => [tool, tally(seq)])),
  })
  const check = (state: SessionState) =>
    policy.check(bareCall('deploy'), state, createWorkLimit(state))
  const stale = at({ test: 9, lint: 4, format: 3, write: 8, edit: 6 })
  expect(check(stale)).toEqual(
    unmet(
      'sequential.outdated',
      { tool: 'deploy', missing: ['build'], outdated: ['lint'], newer: ['edit', 'write'] },
      "Tool 'deploy' requires: build, and lint again after: edit, write",
      [4, 6, 8, 9],
    ),
  )
  expect(policy.order?.('deploy', stale)).toEqual({
    needed: ['build', 'lint', 'test'],
    missing: ['build', 'lint'],
    after: ['edit', 'format', 'write'],
  })
  expect(policyRule(document).view(document, stale).sequences[0]?.needs).toEqual([
    { tool: 'test', seq: 9, isOutdated: false },
    { tool: 'build', seq: null, isOutdated: false },
    { tool: 'lint', seq: 4, isOutdated: true },
  ])
  expect(check(at({ test: 9, build: 9, lint: 9, write: 8 }))).toEqual(
    allowed('sequential.satisfied', { needed: ['build', 'lint', 'test'] }, [9, 9, 9]),
  )
})

const RATE: RateLimitDocument = {
  id: 'r',
  type: 'rate_limit',
  tools: ['deploy'],
  max_calls: 2,
  per_seconds: 60,
}
const limited = (now: number, ...seconds: readonly number[]): SessionState => ({
  ...NOW,
  at: now * 1000,
  rates: mapFrom([
    [
      'r',
      {
        admitted: seconds.length,
        ring: mapFrom(seconds.map((at, i) => [String(i), { seq: i + 1, at: at * 1000 }])),
      },
    ],
  ]),
})
const limit = { max_calls: 2, per_seconds: 60 }
const tooMany = (retry: number, waits: string) =>
  denied(
    'rate.exceeded',
    { ...limit, tool: 'deploy', retry_after_seconds: retry },
    `Tool 'deploy' is limited to 2 calls per 60 seconds. Try again in ${waits}.`,
    [1],
  )

test.each<[string, SessionState, Finding, number, number | null]>([
  ['before the first call', NOW, allowed('rate.within_limit', limit), 0, null],
  ['after one call', limited(5, 1), allowed('rate.within_limit', limit), 1, null],
  ['after two calls', limited(5, 1, 4), tooMany(56, '56 seconds'), 2, 61_000],
  ['shortly before a call is free', limited(60.5, 1, 4), tooMany(1, '1 second'), 2, 61_000],
  ['when a call is free', limited(61, 1, 4), allowed('rate.within_limit', limit), 1, null],
  ['when both are free', limited(90, 1, 4), allowed('rate.within_limit', limit), 0, null],
])('rate_limit decides and shows a call %s', (...[, state, finding, used, freeAt]) => {
  expect(rateLimit(RATE).check(bareCall('deploy'), state, createWorkLimit(state))).toEqual(finding)
  expect(policyRule(RATE).view(RATE, state)).toEqual({
    sequences: [],
    rates: [
      { rule: 'r', mode: 'enforce', tools: ['deploy'], maxCalls: 2, perSeconds: 60, used, freeAt },
    ],
  })
})

it('rate_limit names one call and one second in the singular', () => {
  const one = { ...RATE, max_calls: 1, per_seconds: 1 }
  const state = limited(1.5, 1)
  expect(rateLimit(one).check(bareCall('deploy'), state, createWorkLimit(state))?.reason).toBe(
    "Tool 'deploy' is limited to 1 call per 1 second. Try again in 1 second.",
  )
})

const compile = (
  id: string,
  policy: Policy,
  mode: 'enforce' | 'shadow' = 'enforce',
): CompiledPolicy => ({
  id,
  pointer: `/${id}`,
  type: 'any',
  mode,
  policy,
})

const OWN = { id: 'own', type: 'custom:policy' }
const answered = (answer?: RuleAnswer): Finding | null => {
  const facts = answer === undefined ? undefined : { answers: { own: answer } }
  return customPolicy(OWN).check({ ...bareCall('any'), facts }, NOW, createWorkLimit(NOW))
}
const noAnswer = unclear('answer.missing', {}, "Rule 'own' could not be evaluated.")

test.each<[string, RuleAnswer | undefined, Finding]>([
  ['allows', { kind: 'policy', allow: true }, allowed('custom.allows', {})],
  [
    'denies',
    { kind: 'policy', allow: false, reason: 'No.' },
    denied('custom.denies', { reason: 'No.' }, 'No.'),
  ],
  ['denies without a reason', { kind: 'policy', allow: false }, denied('custom.denies', {}, '')],
  ['fails', { kind: 'error', error: 'x' }, noAnswer],
  ['gives no answer', undefined, noAnswer],
])('a custom policy whose code %s decides the call', (...[, answer, finding]) => {
  expect(answered(answer)).toEqual(finding)
})

it('a custom policy governs every tool unless it names some', () => {
  const some = { ...OWN, tools: ['a'] }
  expect([OWN, some].map((document) => customPolicy(document).denies)).toEqual(['every', ['a']])
  expect([OWN, some].map((document) => policyRule(document).denies(document))).toEqual([
    'every',
    ['a'],
  ])
})

const ASK: ApprovalDocument = {
  id: 'ask',
  type: 'approval',
  tools: ['deploy'],
  timeout_seconds: 60,
}
const decide = (decision: ApprovalDecided['decision'], more: object = {}, at = 100) => {
  const answer = { call_id: 'c', decision, ...more }
  const waiting = { expiresAt: 100, rules: [] }
  return settle([compile('ask', approval(ASK, null))], waiting, {
    tool: 'deploy',
    answer,
    seq: 9,
    at,
  })
}
const late = denied(
  'approval.timed_out',
  { tool: 'deploy', timeout_seconds: 60 },
  "Tool 'deploy' was not approved within 60 seconds.",
  [9],
)

test.each<[string, readonly RuleResult[], Finding]>([
  ['an approval', decide('approved'), allowed('approval.approved', {}, [9])],
  [
    'an approval with a note',
    decide('approved', { by: 'ada', note: 'Fine.' }),
    allowed('approval.approved', { by: 'ada', note: 'Fine.' }, [9]),
  ],
  ['a late approval', decide('approved', {}, 101), late],
  ['a time-out', decide('timed_out'), late],
  [
    'a late denial',
    decide('denied', {}, 101),
    denied('approval.denied', { tool: 'deploy' }, "Tool 'deploy' was not approved.", [9]),
  ],
  [
    'a denial with a note',
    decide('denied', { by: 'ada', note: 'Not today.' }),
    denied(
      'approval.denied',
      { tool: 'deploy', by: 'ada', note: 'Not today.' },
      "Tool 'deploy' was not approved: Not today.",
      [9],
    ),
  ],
  [
    'no one to ask',
    decide('unavailable'),
    unclear(
      'approval.unavailable',
      { tool: 'deploy' },
      "Tool 'deploy' needs approval, and nobody can be asked.",
      [9],
    ),
  ],
])('an approval rule is settled by %s', (...[, results, finding]) => {
  expect(results).toEqual([
    { rule: 'ask', pointer: '/ask', type: 'any', mode: 'enforce', ...finding },
  ])
})

it('an approval rule in shadow mode records that it would have asked', () => {
  const policy = approval({ ...ASK, mode: 'shadow' }, null)
  expect(policy.approvalSeconds).toBeNull()
  expect(policy.check(bareCall('deploy'), NOW, createWorkLimit(NOW))).toEqual(
    denied('approval.would_ask', { tool: 'deploy' }, "Tool 'deploy' needs approval."),
  )
})

it('the shortest approval timeout counts', () => {
  const asking = [60, 9, 30].map((timeout_seconds) =>
    compile('ask', approval({ ...ASK, timeout_seconds }, null)),
  )
  expect(computeTimeout(asking)).toBe(9)
})

it('a decision names every rule, and gives the reasons of those that are enforced', () => {
  const says = (finding: Finding | null) => createPolicy({ denies: 'every', check: () => finding })
  const throws = createPolicy({
    denies: 'every',
    check: () => {
      throw new Error('broken')
    },
  })
  const silent = compile('silent', says(null))
  const yes = compile('yes', says(allowed('y', {})))
  const no = compile('no', says(denied('n', {}, 'No.')))
  const mute = compile('mute', says(denied('m', {}, '')))
  const tried = compile('tried', says(denied('t', {}, 'Tried.')), 'shadow')
  const broken = compile('broken', throws)
  const decision = (...policies: readonly CompiledPolicy[]) => {
    const rules = evaluateRules(policies, bareCall('any'), NOW)
    const { decision: answer, reason } = conclude({ call_id: 'c', tool: 'any' }, rules)
    return [answer, reason, rules.map(({ rule }) => rule)]
  }
  expect(decision(silent, yes, tried)).toEqual(['allowed', null, ['yes', 'tried']])
  expect(decision(no, mute, yes)).toEqual([
    'denied',
    'No.\nDenied by policy.',
    ['no', 'mute', 'yes'],
  ])
  expect(decision(broken, no)[0]).toBe('denied')
  expect(decision(broken)).toEqual(['error', "Rule 'broken' could not be evaluated.", ['broken']])
  expect(evaluateRules([broken], bareCall('any'), NOW)).toEqual([
    {
      rule: 'broken',
      pointer: '/broken',
      type: 'any',
      mode: 'enforce',
      ...unclear('policy.threw', {}, "Rule 'broken' could not be evaluated."),
    },
  ])
})
