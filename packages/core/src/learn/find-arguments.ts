// Arguments with few values, and bounds that only bad sessions leave.
import type { JsonPrimitive } from '../model/json.ts'
import { FAMILIES, findGroup, type Group, isDropped, type LearnCounts, sumGroup } from './counts.ts'
import type { Pattern, PatternKind, Samples } from './pattern.ts'
import { nameRule } from './rule-name.ts'
import { countDigits, isDifferent, type Share, testDifference } from './statistics.ts'

const FEWEST_CALLS = 50
const MOST_VALUES = 6
/** Share of calls with a value that was not seen yet, as far as one can tell (Good and Turing). */
const MOST_UNSEEN = 0.01
/** Good sessions that may use a value that the rule leaves out, because bad ones use it far more. */
const MOST_LEFT_OUT = 0.05
const CERTAIN = 0.05
/** An extreme is passed by chance more often than a list. */
const CERTAIN_BOUND = 0.001
const FEWEST_USING = 2
const FEWEST_BAD = 3

interface Argument {
  readonly tool: string
  /** JSON text of the name. */
  readonly key: string
}

export function findArguments(samples: Samples): readonly Pattern[] {
  const { good, bad, limits } = samples
  return [...findGroup(good, FAMILIES.called).keys()].flatMap((tool) => {
    if (isHidden(good, { tool, key: '' }) || isHidden(bad, { tool, key: '' })) return []
    return [...findGroup(good, FAMILIES.argumentSessions, tool)].flatMap(([key, sessions]) => {
      const argument = { tool, key }
      if (sessions < limits.minSessions) return []
      if (isHidden(good, argument) || isHidden(bad, argument)) return []
      const values = findValues(samples, argument)
      return values.length > 0 ? values : findBounds(samples, argument)
    })
  })
}

/** Values of an argument that was redacted once are no one's business. */
function isHidden(counts: LearnCounts, { tool, key }: Argument): boolean {
  return (findGroup(counts, FAMILIES.hidden, tool).get(key) ?? 0) > 0
}

function countSessions(counts: LearnCounts, { tool, key }: Argument): number {
  return findGroup(counts, FAMILIES.argumentSessions, tool).get(key) ?? 0
}

function findValues(samples: Samples, argument: Argument): readonly Pattern[] {
  const { good, bad, limits } = samples
  const { tool, key } = argument
  const calls = findGroup(good, FAMILIES.argumentCalls, tool).get(key) ?? 0
  const group = findGroup(good, FAMILIES.value, tool, key)
  if (calls < FEWEST_CALLS || isDropped(group)) return []
  const sessions = countSessions(good, argument)
  const badGroup = findGroup(bad, FAMILIES.value, tool, key)
  const badSessions = countSessions(bad, argument)
  const rare = findRare(group, badGroup, { all: sessions, bad: badSessions })
  const kept = [...group].filter(([value]) => !rare.has(value))
  if (!isList(kept.map(([value]) => parseValue(value)))) return []
  const once = kept.filter(([, count]) => count === 1).length
  if (kept.length > MOST_VALUES || once / sumGroup(group) > MOST_UNSEEN) return []
  const allowed = new Set(kept.map(([value]) => value))
  const of = Math.min(
    sessions,
    countWhere(group, (value) => !allowed.has(value)),
  )
  if (1 - of / sessions < limits.minKept) return []
  const list = [...allowed].sort().join(', ')
  const outside = countOutside(badGroup, allowed, badSessions)
  return [
    toPattern('values', argument, {
      condition: (at) => `${at} in [${list}]`,
      good: { of, all: sessions },
      bad: { of: outside, all: badSessions },
      id: nameRule(tool, parseName(key)),
      told: `was one of ${list}`,
    }),
  ]
}

function countOutside(group: Group, allowed: ReadonlySet<string>, sessions: number): number {
  if (isDropped(group)) return sessions
  return Math.min(
    sessions,
    countWhere(group, (value) => !allowed.has(value)),
  )
}

/** Values that few good sessions use, if bad ones use them far more: the rarest ones, as many as make the clearest difference. */
function findRare(
  good: Group,
  bad: Group,
  sessions: { readonly all: number; readonly bad: number },
): ReadonlySet<string> {
  const used = [...good].sort(([, a], [, b]) => a - b)
  let [best, clearest]: [ReadonlySet<string>, number] = [new Set(), CERTAIN]
  for (let rarest = 1; rarest < used.length; rarest++) {
    const of = sumGroup(new Map(used.slice(0, rarest)))
    if (of > MOST_LEFT_OUT * sessions.all) break
    const common = new Set(used.slice(rarest).map(([value]) => value))
    const outside = countOutside(bad, common, sessions.bad)
    if (outside < FEWEST_USING) continue
    const chance = testDifference({ of: outside, all: sessions.bad }, { of, all: sessions.all })
    if (chance > clearest) continue
    clearest = chance
    best = new Set(used.slice(0, rarest).map(([value]) => value))
  }
  return best
}

function parseValue(text: string): JsonPrimitive {
  // Entries were made from primitives.
  return JSON.parse(text) as JsonPrimitive
}

function parseName(key: string): string {
  return String(parseValue(key))
}

/** A list is worth a rule if its values are of one type and could be others. */
function isList(values: readonly JsonPrimitive[]): boolean {
  const types = new Set(values.map((value) => (value === null ? 'null' : typeof value)))
  if (types.size !== 1 || types.has('null')) return false
  return !types.has('boolean') || values.length === 1
}

interface Condition {
  readonly condition: (at: string) => string
  readonly good: Share
  readonly bad: Share
  readonly id: string
  /** Predicate of the sentence. */
  readonly told: string
}

function toPattern(
  kind: PatternKind,
  { tool, key }: Argument,
  { condition, good, bad, id, told }: Condition,
): Pattern {
  const name = parseName(key)
  const isPlain = /^[A-Za-z_]\w*$/.test(name)
  const at = isPlain ? `args.${name}` : `args[${key}]`
  const isAbsent = isPlain ? `!has(${at})` : `!(${key} in args)`
  const require = `${isAbsent} || ${condition(at)}`
  return {
    kind,
    placed: {
      pointer: '/policies/-',
      rule: { id, type: 'expression', tools: [tool], require },
    },
    sentence: `\`${name}\` of \`${tool}\` ${told}`,
    good,
    bad,
    chance: null,
    surprise: countDigits(testDifference(bad, good)),
    unknownEffects: [],
  }
}

/** Only against bad sessions: a bound of the good ones alone is only the size of the sample. */
function findBounds(samples: Samples, argument: Argument): readonly Pattern[] {
  const { tool, key } = argument
  const { good, bad } = samples
  const number = (side: 1 | -1) => {
    const family = side === 1 ? FAMILIES.largest : FAMILIES.smallest
    const [all, badAll] = [good, bad].map((counts) => findGroup(counts, family, tool, key))
    const extreme = findExtreme(all ?? new Map(), side)
    if (extreme === null) return []
    const isOutside = (value: string) => side * Number(value) > side * extreme
    const outside = countWhere(badAll ?? new Map(), isOutside)
    const inside: Share = { of: 0, all: countSessions(good, argument) }
    const shares = { good: inside, bad: { of: outside, all: countSessions(bad, argument) } }
    if (!isDifferent(shares, FEWEST_BAD, CERTAIN_BOUND)) return []
    const sign = side === 1 ? '<=' : '>='
    const id = nameRule(tool, parseName(key), side === 1 ? 'most' : 'least')
    const told = `was at ${side === 1 ? 'most' : 'least'} ${extreme}`
    const condition = (at: string) => `${at} ${sign} ${toNumber(extreme)}`
    return [toPattern('bound', argument, { ...shares, id, condition, told })]
  }
  return [...number(1), ...number(-1), ...findPrefixes(samples, argument)]
}

/** CEL writes doubles with a point; arguments are doubles. */
function toNumber(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

function findExtreme(group: Group, side: 1 | -1): number | null {
  const values = [...group.keys()].map(Number).sort((a, b) => side * (b - a))
  return values[0] ?? null
}

function countWhere(group: Group, isCounted: (entry: string) => boolean): number {
  return [...group].reduce((sum, [entry, count]) => (isCounted(entry) ? sum + count : sum), 0)
}

function findPrefixes({ good, bad, limits }: Samples, argument: Argument): readonly Pattern[] {
  const { tool, key } = argument
  const sessions = countSessions(good, argument)
  const badSessions = countSessions(bad, argument)
  const badGroup = findGroup(bad, FAMILIES.prefix, tool, key)
  return [...findGroup(good, FAMILIES.prefix, tool, key)].flatMap(([prefix, kept]) => {
    if (kept / sessions < limits.minKept) return []
    const shares = {
      good: { of: sessions - kept, all: sessions },
      bad: { of: badSessions - (badGroup.get(prefix) ?? 0), all: badSessions },
    }
    if (!isDifferent(shares, FEWEST_BAD, CERTAIN_BOUND)) return []
    const id = nameRule(tool, parseName(key), 'below', prefix)
    const condition = (at: string) =>
      `(${at}.startsWith(${JSON.stringify(prefix)}) && !${at}.contains(".."))`
    const told = `began with ${JSON.stringify(prefix)}`
    return [toPattern('prefix', argument, { ...shares, id, condition, told })]
  })
}
