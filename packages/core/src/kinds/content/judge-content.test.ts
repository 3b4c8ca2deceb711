import { expect, test } from 'vitest'
import { type ConfigDocument, type ContentFacts, compileConfig } from '../../index.ts'
import { lintConfig } from '../../lint/index.ts'
import { compareStrictness, inheritConfig } from '../../tighten/index.ts'
import type { ContentRuleDocument } from './content-rule.ts'
import { concludeContent, judgeContent } from './judge-content.ts'

const ABLE = { arguments: true, results: true }
const UNABLE = { arguments: false, results: false }
const rule: ContentRuleDocument = { id: 'r', kind: 'secrets', on: 'result', action: 'mask' }
const place = { rule: 'r', kind: 'secrets', pointer: '', offset: 0, length: 3, tag: 'ab' }
const found: ContentFacts = { detectors: [], checked: ['r'], found: [place] }
const clean: ContentFacts = { detectors: [], checked: ['r'], found: [] }

function document(...content: readonly ContentRuleDocument[]): ConfigDocument {
  return { schema_version: 1, ns: 'n', key: 'k', content }
}

function verdict(
  change: Partial<ContentRuleDocument>,
  facts: ContentFacts | undefined,
  able = ABLE,
) {
  // The fields that change fit every kind.
  const changed = { ...rule, ...change } as ContentRuleDocument
  const compiled = { document: changed, pointer: '/content/0', mode: changed.mode ?? 'enforce' }
  const results = judgeContent([compiled], facts, able)
  const decision = concludeContent({ call_id: 'c', tool: 't' }, results)
  return [results[0]?.code, results[0]?.result, decision?.verdict ?? null, decision?.text ?? null]
}

test.each([
  ['nothing found', {}, clean, ABLE, ['content.clean', 'allow', null, null]],
  ['mask', {}, found, ABLE, ['content.masked', 'allow', 'masked', null]],
  [
    'withhold',
    { action: 'withhold' },
    found,
    ABLE,
    ['content.withheld', 'deny', 'withheld', 'Result withheld: secrets.'],
  ],
  [
    'deny of a result',
    { action: 'deny' },
    found,
    ABLE,
    ['content.withheld', 'deny', 'withheld', 'Result withheld: secrets.'],
  ],
  ['warn', { action: 'warn' }, found, ABLE, ['content.warned', 'allow', 'passed', null]],
  [
    'mask without an answer of the detector',
    {},
    undefined,
    ABLE,
    ['content.not_checked', 'error', 'withheld', 'Result withheld: secrets.'],
  ],
  ['mask in an unable harness', {}, found, UNABLE, ['content.warned', 'allow', 'passed', null]],
  ['shadow', { mode: 'shadow' }, found, ABLE, ['content.masked', 'allow', 'passed', null]],
  [
    'arguments without an answer of the detector',
    { on: 'arguments', action: 'deny' },
    undefined,
    UNABLE,
    ['content.not_checked', 'error', 'withheld', "Rule 'r' could not be evaluated."],
  ],
] as const)('a content rule decides: %s', (...[, change, facts, able, expected]) => {
  expect(verdict(change, facts, able)).toEqual(expected)
})

test('a config refuses a content rule that withholds or cuts arguments, and one with the id of a policy', () => {
  const refused = (content: ContentRuleDocument) =>
    lintConfig(document(content)).map(({ code, pointer }) => [code, pointer])
  expect(refused({ ...rule, on: 'arguments', action: 'withhold' })).toEqual([
    ['content_action', '/content/0/action'],
  ])
  expect(refused({ id: 'r', kind: 'size', max_chars: 9, on: 'arguments', action: 'mask' })).toEqual(
    [['content_action', '/content/0/action']],
  )
  expect(refused({ id: 'r', kind: 'pattern', matches: '(', on: 'result', action: 'mask' })).toEqual(
    [['expression_engine_missing', '/content/0/matches']],
  )
  const twice = document(rule, rule)
  expect(compileConfig(twice)).toMatchObject({
    ok: false,
    problems: [{ code: 'duplicate_rule_id' }],
  })
})

test.each([
  ['the same rule', [rule], [rule], true],
  ['a new rule on results', [], [rule], true],
  ['a rule that is gone', [rule], [], false],
  ['a rule in shadow mode', [rule], [{ ...rule, mode: 'shadow' }], false],
  ['a harder action', [rule], [{ ...rule, action: 'withhold' }], true],
  ['a softer action', [rule], [{ ...rule, action: 'warn' }], false],
  ['another kind', [rule], [{ ...rule, kind: 'pii' }], false],
  ['fewer tools', [rule], [{ ...rule, tools: ['a'] }], false],
  ['more tools', [{ ...rule, tools: ['a'] }], [{ ...rule, tools: ['a', 'b'] }], true],
  ['a warning where it was refused', [rule], [{ ...rule, on_unsupported: 'warn' }], false],
  ['a new mask on arguments', [], [{ ...rule, on: 'arguments' }], false],
  ['a new denial of arguments', [], [{ ...rule, on: 'arguments', action: 'deny' }], true],
  [
    'a smaller limit',
    [{ id: 's', kind: 'size', max_chars: 9, on: 'result', action: 'mask' }],
    [{ id: 's', kind: 'size', max_chars: 8, on: 'result', action: 'mask' }],
    true,
  ],
] as [string, ContentRuleDocument[], ContentRuleDocument[], boolean][])(
  'strictness of content rules: %s',
  (...[, from, to, stricter]) => {
    expect(compareStrictness(document(...from), document(...to)).stricter).toBe(stricter)
  },
)

test('a config that extends a base keeps its content rules and may make them stricter', () => {
  const own = document({ ...rule, action: 'withhold' }, { ...rule, id: 'own' })
  const merged = inheritConfig(document(rule, { ...rule, id: 'kept' }), own)
  expect(merged.looser).toEqual([])
  expect(merged.document.content?.map(({ id, action }) => [id, action])).toEqual([
    ['r', 'withhold'],
    ['kept', 'mask'],
    ['own', 'mask'],
  ])
  const softer = inheritConfig(document(rule), document({ ...rule, action: 'warn' }))
  expect(softer.looser).toMatchObject([{ pointer: '/content/0/action' }])
})
