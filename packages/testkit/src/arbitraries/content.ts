// Random content rules and what detectors may report for them. Each rule is valid on its own; the caller assigns the id.
import type { ContentFacts, ContentFinding, ContentRuleDocument, RuleMode } from '@signalbox/core'
import fc from 'fast-check'
import { tool } from './alphabet.ts'

type WithoutId = fc.Arbitrary<(id: string) => ContentRuleDocument>

const optional = {
  mode: fc.constantFrom<RuleMode>('enforce', 'enforce', 'shadow', 'off'),
  tools: fc.uniqueArray(tool, { minLength: 1, maxLength: 3 }),
  on_unsupported: fc.constantFrom('refuse', 'warn'),
}

const inPlace = fc.constantFrom(
  ...(['deny', 'mask', 'warn'] as const).map((action) => ({ on: 'arguments', action }) as const),
  ...(['deny', 'withhold', 'mask', 'warn'] as const).map(
    (action) => ({ on: 'result', action }) as const,
  ),
)

const base = fc
  .tuple(inPlace, fc.record(optional, { requiredKeys: [] }))
  .map(([place, fields]) => ({ ...place, ...fields }))

export const contentWithoutId: WithoutId = fc.oneof(
  fc.tuple(base, fc.constantFrom('secrets', 'pii')).map(
    ([fields, kind]) =>
      (id: string) =>
        ({ id, kind, ...fields }) as const,
  ),
  fc
    .tuple(base, fc.integer({ min: 1, max: 9 }))
    .filter(([{ on, action }]) => on === 'result' || action !== 'mask')
    .map(
      ([fields, max_chars]) =>
        (id: string) =>
          ({ id, kind: 'size', max_chars, ...fields }) as const,
    ),
)

/** Patterns compile with the expression engine only. */
export const extendedContentWithoutId: WithoutId = fc.oneof(
  { arbitrary: contentWithoutId, weight: 3 },
  {
    arbitrary: fc.tuple(base, fc.constantFrom('T-[0-9]+', '(a|b)+c')).map(
      ([fields, matches]) =>
        (id: string) =>
          ({ id, kind: 'pattern', matches, ...fields }) as const,
    ),
    weight: 1,
  },
)

function finding(rules: readonly string[]): fc.Arbitrary<ContentFinding> {
  return fc.record(
    {
      rule: fc.constantFrom(...rules),
      kind: fc.constantFrom('secrets', 'pii'),
      pointer: fc.constantFrom('', '/path', '/a~1b/0'),
      property: fc.nat(3),
      offset: fc.nat(40),
      length: fc.integer({ min: 1, max: 40 }),
      tag: fc.constantFrom('0a1b', '2c3d'),
    },
    { requiredKeys: ['rule', 'kind', 'pointer', 'offset', 'length', 'tag'] },
  )
}

/** Mostly all rules are checked, because a rule that is not checked denies. */
export function contentFacts(rules: readonly string[]): fc.Arbitrary<ContentFacts> {
  return fc.record({
    detectors: fc.constantFrom([], [{ name: 'secretlint', version: '11.7.1' }]),
    checked: fc.oneof(
      { arbitrary: fc.constant([...rules]), weight: 4 },
      { arbitrary: fc.subarray([...rules]), weight: 1 },
    ),
    found: fc.array(finding(rules), { maxLength: 2 }),
  })
}
