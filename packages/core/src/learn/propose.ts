// From counts to rules that a person can read: each is a document of the config language, with what it rests on.
import type { ConfigDocument } from '../kinds/config.ts'
import { findFreeId, listRequired } from '../kinds/edit-document.ts'
import { placeDocument } from '../kinds/placed.ts'
import { listToolPlaces } from '../lint/named-tools.ts'
import { callFingerprint } from '../model/fingerprint.ts'
import type { JsonObject } from '../model/json.ts'
import { isSameJson } from '../model/same-json.ts'
import { addRules } from './add-rules.ts'
import type { LearnCounts } from './counts.ts'
import { effectFinder } from './effects.ts'
import { findArguments } from './find-arguments.ts'
import { findMadeFiles, findPlan, findReads, offerFileFacts } from './find-files.ts'
import { findOrders } from './find-orders.ts'
import { findRates, findRows } from './find-rates.ts'
import { listGoverned } from './governed.ts'
import type { Pattern, PatternKind, PlacedRule, Samples } from './pattern.ts'
import { computeLowerBound, findCutoff, isDifferent } from './statistics.ts'

export interface ProposeOptions {
  /** Good sessions that a rule needs, at least. Absent: 20. */
  readonly minSessions?: number
  /** Ids of proposals that a person dismissed. Absent: none. */
  readonly dismissed?: ReadonlySet<string>
  /** Tools whose calls cannot be undone: rules about them are guards. Absent: none. */
  readonly irreversible?: readonly string[]
  /** Tools that were first seen less than `YOUNG_DAYS` days ago: rules that name one are marked. Absent: none. */
  readonly youngTools?: readonly string[]
}

interface Measured {
  /** The same for the same rule, whatever its id is. */
  readonly id: string
  readonly kind: PatternKind
  /** Observation in the past tense and without a period; Markdown code spans mark names. */
  readonly sentence: string
  /** `guard`: bad sessions broke it more than good ones, or it is about a tool whose calls cannot be undone. `habit`: only a correlation. */
  readonly group: 'guard' | 'habit'
  /** Good sessions that the rule is about. */
  readonly sessions: number
  /** Those of them that break it. */
  readonly broken: number
  /** Lower bound of the share of sessions that keep it. */
  readonly confidence: number
  /** Share of sessions in which it would hold by chance; null: not known. */
  readonly chance: number | null
  /** Decimal digits of how unlikely chance is. */
  readonly surprise: number
  /** Bad sessions that the rule is about, and those of them that break it. */
  readonly badSessions: number
  readonly brokenByBad: number
  /** Tools that the rule takes for a change, though it is not known whether they change anything. */
  readonly unknownEffects: readonly string[]
  /** Tools of the rule that were first seen less than `YOUNG_DAYS` days ago. */
  readonly youngTools: readonly string[]
}

/** A rule in shadow mode, where its kind has modes, and what it rests on. */
export type Proposal = Measured & PlacedRule

/** Good sessions that a rule needs. */
export const MIN_SESSIONS = 20
/** A tool that is new may still change how it is used. */
export const YOUNG_DAYS = 7
const MIN_KEPT = 0.95
const MOST_PROPOSALS = 200
/** Share of guards that bad sessions are expected to break more often only by chance. */
const MOST_COINCIDENCES = 0.1
const FEWEST_BAD = 2

export interface LearnedCounts {
  readonly good: LearnCounts
  readonly bad: LearnCounts
}

/** Ranked: guards before habits, and the clearest first. */
export function propose(
  { good, bad }: LearnedCounts,
  present: ConfigDocument,
  options: ProposeOptions = {},
): readonly Proposal[] {
  const { minSessions = MIN_SESSIONS, dismissed = new Set() } = options
  const samples: Samples = {
    good,
    bad,
    effect: effectFinder([good, bad]),
    limits: { minSessions, minKept: MIN_KEPT },
  }
  const [reads, rates] = [findReads(samples), findRates(samples)]
  const patterns = [
    ...offerFileFacts(samples),
    ...prune(findOrders(samples), reads),
    ...reads,
    ...findMadeFiles(samples),
    ...findPlan(samples),
    ...rates,
    ...findRows(samples, rates),
    ...findArguments(samples),
  ]
  const cutoff = findCutoff(patterns, MOST_COINCIDENCES)
  return patterns
    .map((pattern) => toProposal(pattern, { ...options, present, cutoff }))
    .filter((one) => !dismissed.has(one.id) && !hasRule(present, one))
    .sort(compareProposals)
    .slice(0, MOST_PROPOSALS)
}

/** An order of a writer and its reader is what the rule about their files says better. */
function prune(orders: readonly Pattern[], reads: readonly Pattern[]): readonly Pattern[] {
  const pairs = reads.flatMap(({ placed: { rule } }) =>
    'read_tools' in rule ? [{ writers: rule.write_tools, readers: rule.read_tools }] : [],
  )
  const isSaid = ({ kind, placed: { rule } }: Pattern) =>
    kind === 'order' &&
    'dependencies' in rule &&
    pairs.some(({ writers, readers }) =>
      writers.some((writer) => rule.dependencies[writer]?.some((tool) => readers.includes(tool))),
    )
  return orders.filter((order) => !isSaid(order))
}

/** The part of a rule that decides. */
function toBare(rule: PlacedRule['rule']): JsonObject {
  const { id: _id, ...bare } = rule
  // Rules are JSON.
  const { mode: _mode, ...deciding } = bare as unknown as JsonObject
  return deciding
}

/** True: the config has the rule, or a stricter order, under whatever id and in whatever mode. */
export function hasRule(document: ConfigDocument, { rule }: PlacedRule): boolean {
  const wanted = splitOrder(toBare(rule))
  return listRules(document).some((one) => {
    const { rest, after } = splitOrder(toBare(one))
    return isSameJson(rest, wanted.rest) && wanted.after.every((tool) => after.includes(tool))
  })
}

/** What makes an order outdated, and the rest of the rule. */
function splitOrder({ after = [], ...rest }: JsonObject) {
  return { rest, after: Array.isArray(after) ? after : [] }
}

/** Rules of the config, in whatever mode. A check that is only one way to pass is not among them. */
function listRules(document: ConfigDocument) {
  const { policies, providers } = placeDocument(document)
  const rules: readonly PlacedRule['rule'][] = [...policies, ...providers].map(({ item }) => item)
  return [...rules, ...listRequired(document)]
}

function toProposal(
  pattern: Pattern,
  {
    present,
    irreversible = [],
    youngTools = [],
    cutoff,
  }: ProposeOptions & { readonly present: ConfigDocument; readonly cutoff: number },
): Proposal {
  const { kind, placed, sentence, good, bad, chance, surprise, unknownEffects } = pattern
  const isBroken = isDifferent(pattern, FEWEST_BAD, cutoff)
  const isFinal = listGoverned(placed).some((tool) => irreversible.includes(tool))
  const measured: Measured = {
    id: callFingerprint('', toBare(placed.rule)),
    kind,
    sentence,
    group: isBroken || isFinal ? 'guard' : 'habit',
    sessions: good.all,
    broken: good.of,
    confidence: computeLowerBound(good.all - good.of, good.all),
    chance,
    surprise,
    badSessions: bad.all,
    brokenByBad: bad.of,
    unknownEffects,
    youngTools: listYoung(placed, youngTools),
  }
  return { ...measured, ...toShadow(placed, findFreeId(present, placed.rule.id)) }
}

function listYoung(placed: PlacedRule, young: readonly string[]): readonly string[] {
  if (young.length === 0) return []
  const document = addRules({ schema_version: 1, ns: '', key: '' }, [placed], { mode: 'shadow' })
  const named = new Set(listToolPlaces(document).map(({ item }) => item))
  return young.filter((tool) => named.has(tool))
}

/** Checks have no mode. */
function toShadow(placed: PlacedRule, id: string): PlacedRule {
  switch (placed.pointer) {
    case '/policies/-':
      return { ...placed, rule: { ...placed.rule, id, mode: 'shadow' } }
    case '/feedback_providers/-':
      return { ...placed, rule: { ...placed.rule, id, mode: 'shadow' } }
    case '/task_completion_checker':
      return { ...placed, rule: { ...placed.rule, id } }
    default:
      return placed satisfies never
  }
}

function compareProposals(a: Proposal, b: Proposal): number {
  return (
    rankKind(a) - rankKind(b) ||
    toRatio(b) - toRatio(a) ||
    b.surprise - a.surprise ||
    (a.id < b.id ? -1 : 1)
  )
}

/** The offer to record facts comes first, because the rest depends on it. */
function rankKind({ kind, group }: Proposal): number {
  if (kind === 'file_facts') return 0
  return group === 'guard' ? 1 : 2
}

/** How much more often bad sessions break it. */
function toRatio({ sessions, broken, badSessions, brokenByBad, group }: Proposal): number {
  if (group === 'habit') return 0
  return brokenByBad / Math.max(1, badSessions) / ((broken + 1) / (sessions + 1))
}
