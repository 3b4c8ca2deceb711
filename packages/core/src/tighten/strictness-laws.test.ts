import {
  CUSTOM_TYPES,
  eventLog,
  extendedCheckerDocument,
  extendedConfigDocument,
  extendedContentWithoutId,
  extendedPolicyWithoutId,
  TOOLS,
} from '@signalbox/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { celExpressions } from '../expression/index.ts'
import {
  type CheckerDocument,
  type CompiledConfig,
  type ConfigDocument,
  type ContentRuleDocument,
  compileConfig,
  type Effect,
  initialState,
  type JsonObject,
  type JsonValue,
  type PolicyDocument,
  type SessionEvent,
  step,
} from '../index.ts'
import { compareStrictness, findRuleOrigins, inheritConfig, takeOver } from './index.ts'

const RUNS = IS_SOAK ? 1000 : 400

const expressions = celExpressions()

/** Without custom types, optional rules are left out, which a comparison of documents could miss. */
function compiled(
  document: ConfigDocument,
  customTypes: readonly string[] = CUSTOM_TYPES,
): CompiledConfig | null {
  const result = compileConfig(document, { expressions, customTypes })
  return result.ok ? result.config : null
}

/** Long logs, which random arrays seldom are: rate limits and blocked stops need several events. */
const longLog: fc.Arbitrary<readonly SessionEvent[]> = fc
  .tuple(eventLog, eventLog, eventLog, eventLog)
  .map((logs) => {
    let at = 1_700_000_000_000
    return logs.flatMap((log, i) =>
      (i === 0 ? log : log.slice(1)).map((event, k) => {
        at += k === 0 ? 0 : event.at - (log[i === 0 ? k - 1 : k]?.at ?? event.at)
        return { ...event, at }
      }),
    )
  })
  .map((events) => events.map((event, i) => ({ ...event, seq: i + 1 })))

type Answer = 'allowed' | 'refused' | 'waits' | 'masked' | 'withheld'

/** Answer to the agent; null: it made no request, or reads the result of its call. */
function findAgentAnswer(effects: readonly Effect[]): Answer | null {
  return effects.map(toAnswer).find((answer) => answer !== null) ?? null
}

function toAnswer({ kind, data }: Effect): Answer | null {
  switch (kind) {
    case 'approval.requested':
      return 'waits'
    case 'tool.decided':
      return data.decision === 'allowed' ? 'allowed' : 'refused'
    case 'content.decided':
      return data.verdict === 'passed' ? null : data.verdict
    case 'stop.decided':
      return data.verdict === 'blocked' || data.verdict === 'error' ? 'refused' : 'allowed'
    default:
      return null
  }
}

const STRICTNESS: readonly (Answer | null)[] = ['allowed', 'waits', 'refused', 'masked', 'withheld']

function listAnswerPairs(
  [from, to]: readonly [CompiledConfig, CompiledConfig],
  events: readonly SessionEvent[],
  cut: number,
): readonly (readonly [Answer | null, Answer | null])[] {
  let older = initialState(from.promptName)
  for (const event of events.slice(0, cut)) older = step(from, older, event).state
  let newer = takeOver(from, to, older)
  const answers: (readonly [Answer | null, Answer | null])[] = []
  for (const event of events.slice(cut)) {
    const [was, is] = [step(from, older, event), step(to, newer, event)]
    const pair = [findAgentAnswer(was.effects), findAgentAnswer(is.effects)] as const
    answers.push(pair)
    if (pair[0] !== pair[1]) break
    older = was.state
    newer = is.state
  }
  return answers
}

function createTweak(value: JsonValue, key: string): fc.Arbitrary<JsonValue> {
  if (typeof value === 'number') {
    const least = key === 'times' ? 2 : 1
    return fc.constantFrom(-1, 1).map((by) => Math.max(least, value + by))
  }
  if (typeof value === 'boolean') return fc.constant(!value)
  if (Array.isArray(value)) {
    const names = value.filter((one) => typeof one === 'string')
    if (names.length === 0 || names.length !== value.length) return fc.constant(value)
    const other = key === 'files' ? ['a.txt', 'b.txt'] : ['lint', 'test', 'deploy', 'read_file']
    return fc.oneof(
      fc.subarray(names, { minLength: 1 }),
      fc.constantFrom(...other).map((name) => [...new Set([...names, name])]),
    )
  }
  if (key === 'mode') return fc.constantFrom<JsonValue>('enforce', 'shadow', 'off')
  const choices = CHOICES.get(key)
  return choices === undefined ? fc.constant(value) : fc.constantFrom(...choices)
}

/** Fields of content rules with few values. Combinations that are refused are not compared. */
const CHOICES: ReadonlyMap<string, readonly JsonValue[]> = new Map([
  ['on', ['arguments', 'result']],
  ['action', ['deny', 'withhold', 'mask', 'warn']],
  ['on_unsupported', ['refuse', 'warn']],
])

function tweaked<Document extends object>(document: Document): fc.Arbitrary<Document> {
  // Documents are JSON; their types only lack an index signature.
  const fields = document as unknown as JsonObject
  const keys = Object.keys(fields).filter((key) => key !== 'id' && key !== 'type')
  if (keys.length === 0) return fc.constant(document)
  return fc
    .constantFrom(...keys)
    .chain((key) =>
      createTweak(fields[key] ?? null, key).map((value) => ({ ...document, [key]: value })),
    )
}

function tweakedRules<Rule extends object>(
  rules: readonly Rule[],
  further: fc.Arbitrary<(id: string) => Rule>,
  id: string,
): fc.Arbitrary<Rule[]> {
  const each = rules.map((rule) =>
    fc.oneof({ arbitrary: fc.constant(rule), weight: 3 }, { arbitrary: tweaked(rule), weight: 4 }),
  )
  return fc
    .record({
      kept: fc.tuple(...each),
      more: fc.array(further, { maxLength: 1 }),
      without: fc.oneof({ arbitrary: fc.constant(99), weight: 5 }, fc.nat(3)),
    })
    .map(({ kept, more, without }) => [
      ...kept.filter((_, i) => i !== without),
      ...more.map((make) => make(id)),
    ])
}

function tweakedPolicies(policies: readonly PolicyDocument[] = []): fc.Arbitrary<PolicyDocument[]> {
  return tweakedRules(policies, extendedPolicyWithoutId, 'further')
}

function tweakedContent(
  content: readonly ContentRuleDocument[] = [],
): fc.Arbitrary<ContentRuleDocument[]> {
  return tweakedRules(content, extendedContentWithoutId, 'further-content')
}

function tweakedChecker(checker: CheckerDocument): fc.Arbitrary<CheckerDocument> {
  const all = (checkers: CheckerDocument[], all_must_pass: boolean): CheckerDocument => ({
    id: 'around',
    type: 'composite',
    checkers,
    all_must_pass,
  })
  const plan = { id: 'further', type: 'plan' }
  const nested =
    'checkers' in checker && Array.isArray(checker.checkers)
      ? [
          fc
            .subarray<CheckerDocument>(checker.checkers)
            .map((checkers) => ({ ...checker, checkers })),
        ]
      : []
  return fc.oneof(
    fc.constant(checker),
    tweaked(checker),
    fc.constant(all([checker, plan], true)),
    fc.constant(all([checker, plan], false)),
    ...nested,
  )
}

/** One enforced rule, changed in any way, with or without an approval rule. These combinations are rare in a whole config. */
const policyPair: fc.Arbitrary<Pair> = fc
  .record({ make: extendedPolicyWithoutId, asks: fc.boolean() })
  .chain(({ make, asks }) => {
    const rule: PolicyDocument = { ...make('policy-0'), mode: 'enforce' }
    const ask = { id: 'policy-1', type: 'approval', tools: [...TOOLS], timeout_seconds: 60 }
    const before = asks ? [rule, ask] : [rule]
    return fc
      .oneof(
        tweaked(rule),
        tweaked(rule).chain(tweaked),
        // No change, but a rule may be added while calls wait.
        fc.constant(null),
      )
      .chain((after) =>
        fc
          .array(extendedPolicyWithoutId, { maxLength: after === null ? 1 : 0 })
          .map((more) => [
            after ?? rule,
            ...(asks ? [ask] : []),
            ...more.map((made) => ({ ...made('policy-2'), mode: 'enforce' as const })),
          ]),
      )
      .map((after) => [bare(before), bare(after)])
  })

/** One content rule, changed in any way, with a rule of a kind that it may hide arguments from. */
const contentPair: fc.Arbitrary<Pair> = fc
  .tuple(extendedContentWithoutId, extendedPolicyWithoutId)
  .chain(([make, makePolicy]) => {
    const rule: ContentRuleDocument = { ...make('content-0'), mode: 'enforce' }
    const policies: PolicyDocument[] = [{ ...makePolicy('policy-0'), mode: 'enforce' }]
    return fc
      .record({
        after: fc.oneof(tweaked(rule), tweaked(rule).chain(tweaked)),
        more: fc.array(extendedContentWithoutId, { maxLength: 1 }),
        without: fc.constantFrom(false, false, false, true),
      })
      .map(({ after, more, without }) => {
        const added = more.map((made) => made('content-1'))
        return [
          { ...bare(policies), content: [rule] },
          { ...bare(policies), content: [...(without ? [] : [after]), ...added] },
        ] as const
      })
  })

const checkerPair: fc.Arbitrary<Pair> = extendedCheckerDocument.chain((checker) =>
  fc
    .record({
      after: fc.oneof(tweakedChecker(checker), tweakedChecker(checker).chain(tweakedChecker)),
      most: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
    })
    .map(({ after, most }) => [
      { ...bare([]), task_completion_checker: checker, limits: { max_stop_blocks: most[0] } },
      {
        ...bare([]),
        task_completion_checker: renumbered(after),
        limits: { max_stop_blocks: most[1] },
      },
    ]),
)

function bare(policies: readonly PolicyDocument[]): ConfigDocument {
  return { schema_version: 1, ns: 'any', key: 'prompt', policies }
}

/** Renumbers the checkers, because wrapping a tree twice must not repeat a name. */
function renumbered(checker: CheckerDocument): CheckerDocument {
  let count = 0
  const visit = (one: CheckerDocument): CheckerDocument => {
    const id = /^check-/.test(one.id) ? one.id : `${one.id}-${++count}`
    return 'checkers' in one && Array.isArray(one.checkers)
      ? { ...one, id, checkers: one.checkers.map(visit) }
      : { ...one, id }
  }
  return visit(checker)
}

type Pair = readonly [ConfigDocument, ConfigDocument]

const configPair: fc.Arbitrary<Pair> = extendedConfigDocument.chain((from) => {
  const { task_completion_checker: checker } = from
  return fc
    .record({
      policies: tweakedPolicies(from.policies),
      content: tweakedContent(from.content),
      checker:
        checker === undefined
          ? fc.option(extendedCheckerDocument, { nil: undefined })
          : fc.option(tweakedChecker(checker), { nil: undefined, freq: 6 }),
    })
    .map(({ policies, content, checker: after }): Pair => {
      const { task_completion_checker: _, ...rest } = from
      const kept = after === undefined ? {} : { task_completion_checker: renumbered(after) }
      return [from, { ...rest, policies, content, ...kept }]
    })
})

const pair = fc.oneof(
  { arbitrary: policyPair, weight: 5 },
  { arbitrary: contentPair, weight: 2 },
  { arbitrary: checkerPair, weight: 3 },
  { arbitrary: configPair, weight: 2 },
)

function optional(document: ConfigDocument): ConfigDocument {
  const mark = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(mark)
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(([key, field]) => [key, mark(field)] as const)
    const marked: JsonObject = Object.fromEntries(fields)
    const { type } = marked
    return typeof type === 'string' && type.startsWith('custom:')
      ? { ...marked, optional: true }
      : marked
  }
  return mark(document as unknown as JsonValue) as unknown as ConfigDocument
}

it.each([
  ['with code for custom types', CUSTOM_TYPES],
  ['where optional rules are left out', []],
])(
  'the newer version refuses everything that the older refuses up to their first difference, %s',
  (_, types) => {
    let compared = 0
    fc.assert(
      fc.property(pair, longLog, fc.nat(200), (documents, events, place) => {
        const cut = place < 100 ? 0 : place % (events.length + 1)
        const [from, to] = types.length === 0 ? documents.map(optional) : documents
        if (from === undefined || to === undefined) return
        const configs = [compiled(from, types), compiled(to, types)] as const
        if (configs[0] === null || configs[1] === null) return
        if (!compareStrictness(from, to).stricter) return
        compared += 1
        for (const [was, is] of listAnswerPairs([configs[0], configs[1]], events, cut)) {
          expect(STRICTNESS.indexOf(is)).toBeGreaterThanOrEqual(STRICTNESS.indexOf(was))
        }
      }),
      { numRuns: RUNS },
    )
    // Without compared pairs, the law would hold trivially.
    expect(compared).toBeGreaterThan(0.1 * RUNS)
  },
)

it('a version is as strict as itself, and a move to the same version changes nothing', () => {
  fc.assert(
    fc.property(extendedConfigDocument, eventLog, fc.nat(30), (document, events, cut) => {
      expect(compareStrictness(document, document)).toEqual({ stricter: true, changes: [] })
      const config = compiled(document)
      if (config === null) throw new Error('The random config does not compile.')
      for (const [was, is] of listAnswerPairs([config, config], events, cut)) expect(is).toBe(was)
    }),
  )
})

/** Rules of the base, changed in any way, with rules, aliases, redaction and a check of its own. */
const childPair: fc.Arbitrary<Pair> = extendedConfigDocument.chain((base) =>
  fc
    .record({
      policies: tweakedPolicies(base.policies),
      content: tweakedContent(base.content),
      stated: fc.subarray([...(base.policies ?? []), ...(base.content ?? [])].map(({ id }) => id)),
      inSection: fc.boolean(),
      checker: fc.option(
        fc.oneof(
          extendedCheckerDocument.map((made) => ({ ...made, id: 'own-check' })),
          base.task_completion_checker === undefined
            ? extendedCheckerDocument
            : tweakedChecker(base.task_completion_checker),
        ),
        { nil: undefined },
      ),
      aliases: fc.constantFrom({}, {}, { Bash: 'shell' }, { deploy: 'lint' }),
      limits: fc.constantFrom({}, {}, { max_stop_blocks: 3 }),
      redaction: fc.constantFrom([], [], [{ id: 'own-redaction', keys: ['path'] }]),
    })
    .map(({ policies, content, stated, inSection, checker, ...others }): Pair => {
      const own = {
        policies: policies.filter(({ id }) => stated.includes(id) || id === 'further'),
        content: content.filter(({ id }) => stated.includes(id) || id === 'further-content'),
      }
      const placed = inSection ? { sections: [{ id: 'own', tools: ['own_tool'], ...own }] } : own
      const checked = checker === undefined ? {} : { task_completion_checker: checker }
      return [
        base,
        { schema_version: 1, ns: 'any', key: 'child', ...placed, ...checked, ...others },
      ]
    }),
)

it.each([
  ['with code for custom types', CUSTOM_TYPES],
  ['where optional rules are left out', []],
])(
  'a config that extends a base refuses everything that the base refuses up to their first difference, %s',
  (_, types) => {
    let [proven, refused] = [0, 0]
    fc.assert(
      fc.property(childPair, longLog, (documents, events) => {
        const [base, own] = types.length === 0 ? documents.map(optional) : documents
        if (base === undefined || own === undefined) return
        const { document, looser } = inheritConfig(base, own)
        const configs = [compiled(base, types), compiled(document, types)] as const
        if (configs[0] === null || configs[1] === null) return
        if (looser.length > 0) {
          refused += 1
          return
        }
        proven += 1
        for (const [was, is] of listAnswerPairs([configs[0], configs[1]], events, 0)) {
          expect(STRICTNESS.indexOf(is)).toBeGreaterThanOrEqual(STRICTNESS.indexOf(was))
        }
      }),
      { numRuns: RUNS },
    )
    // Without both kinds, the law would hold trivially.
    expect(proven).toBeGreaterThan(0.1 * RUNS)
    expect(refused).toBeGreaterThan(0.1 * RUNS)
  },
)

it('a config that states nothing is as strict as its base, and every rule comes from there', () => {
  fc.assert(
    fc.property(extendedConfigDocument, (base) => {
      const { document, looser } = inheritConfig(base, { schema_version: 1, ns: 'a', key: 'child' })
      expect(looser).toEqual([])
      expect(document).toEqual({ ...base, ns: 'a', key: 'child' })
      expect(new Set(findRuleOrigins(base, document).values())).toEqual(
        new Set(findRuleOrigins(base, document).size === 0 ? [] : ['base']),
      )
    }),
  )
})
