// "X after Y", "X after Y since the last Z", and the same at stops.
import { FAMILIES, findGroup, type LearnCounts, STOP, sumGroup } from './counts.ts'
import type { Pattern, Samples } from './pattern.ts'
import { nameRule } from './rule-name.ts'
import { computeSurprise, type Share } from './statistics.ts'

/** An order that chance breaks in fewer sessions guards nothing. */
const LEAST_MISSED = 0.05
const LEAST_OUTDATED = 0.1
/** A tool that explains much less than the best one is a companion of it, and makes nothing outdated. */
const NEARLY_BEST = 0.6

interface Found {
  readonly x: string
  readonly y: string
  /** null: a success stays valid. */
  readonly z: string | null
  readonly chance: number
  readonly surprise: number
  /** Surprise for each session. */
  readonly strength: number
}

export function findOrders(samples: Samples): readonly Pattern[] {
  const plain: Found[] = []
  const fresh: Found[] = []
  for (const [x, calls] of findGroup(samples.good, FAMILIES.called)) {
    if (calls < samples.limits.minSessions || isLook(samples, x)) continue
    for (const [y, kept] of findGroup(samples.good, FAMILIES.before, x)) {
      if (kept / calls < samples.limits.minKept || isFileAtStop(samples, { x, y })) continue
      const order = testOrder(samples, { x, y }, { of: kept, all: calls })
      if (order !== null) plain.push(order)
      fresh.push(...keepBest(samples, findOutdating(samples, { x, y })))
    }
  }
  return prune(plain, fresh).map((found) => toPattern(samples, found))
}

/** An order before a mere look guards nothing. */
function isLook({ effect }: Samples, x: string): boolean {
  return x !== STOP && effect(x) === 'reads'
}

/** That a stop needs a file to be written is better said by the file. */
function isFileAtStop({ effect }: Samples, { x, y }: Pair): boolean {
  return x === STOP && effect(y) === 'writes'
}

type Pair = Pick<Found, 'x' | 'y'>

function testOrder(
  { good, limits }: Samples,
  { x, y }: Pair,
  { of: kept, all }: Share,
): Found | null {
  if (x === STOP) return null
  const chance = computeOrderChance(good, x, y)
  const found = computeSurprise(kept, all, chance)
  if (found < limits.need || 1 - chance < LEAST_MISSED) return null
  return { x, y, z: null, chance, surprise: found, strength: found / all }
}

/** Share of sessions in which Y had succeeded by the positions at which X is first called. */
function computeOrderChance(good: LearnCounts, x: string, y: string): number {
  const successes = findGroup(good, FAMILIES.firstSuccess, y)
  const calls = findGroup(good, FAMILIES.firstCall, x)
  let expected = 0
  for (const [at, count] of calls) {
    let by = 0
    for (const [before, sessions] of successes) if (Number(before) <= Number(at)) by += sessions
    expected += (count * by) / good.sessions
  }
  const all = sumGroup(calls)
  return all === 0 ? 0 : expected / all
}

function findOutdating({ good, effect, limits }: Samples, { x, y }: Pair): readonly Found[] {
  const late = findGroup(good, FAMILIES.late, x, y)
  return [...findGroup(good, FAMILIES.both, x, y)].flatMap(([z, all]) => {
    if (all < limits.minSessions || effect(z) === 'reads') return []
    const kept = all - (late.get(z) ?? 0)
    if (kept / all < limits.minKept) return []
    const chance = computeFreshChance(good, y, z)
    const found = computeSurprise(kept, all, chance)
    if (found < limits.need || 1 - chance < LEAST_OUTDATED) return []
    return [{ x, y, z, chance, surprise: found, strength: found / all }]
  })
}

/** Share of moments at which Y is newer than Z. */
function computeFreshChance(good: LearnCounts, y: string, z: string): number {
  const newer = findGroup(good, FAMILIES.newer, y).get(z) ?? 0
  const older = findGroup(good, FAMILIES.newer, z).get(y) ?? 0
  return newer + older === 0 ? 0.5 : newer / (newer + older)
}

/** Where a tool that is known to write explains the order, weaker ones of unknown effect are its companions. */
function keepBest({ effect }: Samples, found: readonly Found[]): readonly Found[] {
  const best = Math.max(0, ...found.map(({ strength }) => strength))
  const writers = found.filter(({ z }) => z !== null && effect(z) === 'writes')
  const bestWriter = Math.max(0, ...writers.map(({ strength }) => strength))
  return found.filter(
    (one) =>
      one.strength >= best * NEARLY_BEST && (writers.includes(one) || one.strength > bestWriter),
  )
}

/** Leaves out what another order already says. */
function prune(plain: readonly Found[], fresh: readonly Found[]): readonly Found[] {
  const has = (list: readonly Found[], x: string, y: string) =>
    list.some((one) => one.x === x && one.y === y)
  const isImplied = ({ x, y }: Found) =>
    has(fresh, x, y) ||
    plain.some(
      (other) =>
        other.y === y && other.x !== x && (has(plain, x, other.x) || has(fresh, x, other.x)),
    )
  return [...plain.filter((order) => !isImplied(order)), ...fresh]
}

/** Exact: sessions in which the rule would refuse a call, or a stop. `z` null: a success stays valid. */
export function countBroken(counts: LearnCounts, { x, y, z }: Pick<Found, 'x' | 'y' | 'z'>): Share {
  const all = findGroup(counts, FAMILIES.called).get(x) ?? 0
  const missing = all - (findGroup(counts, FAMILIES.before, x).get(y) ?? 0)
  const late = z === null ? 0 : (findGroup(counts, FAMILIES.late, x, y).get(z) ?? 0)
  return { of: missing + late, all }
}

function toPattern({ good, bad, effect }: Samples, found: Found): Pattern {
  const { x, y, z, chance } = found
  const after = z === null ? {} : { after: [z] }
  const since = z === null ? '' : ` since the last \`${z}\``
  const measured = {
    good: countBroken(good, found),
    bad: countBroken(bad, found),
    chance,
    surprise: found.surprise,
    unknownEffects: z !== null && effect(z) === 'unknown' ? [z] : [],
  }
  if (x === STOP) {
    const id = nameRule('stop-after', y, z)
    const rule = { id, type: 'tool_succeeded', tool: y, ...after } as const
    const placed = { pointer: '/task_completion_checker', rule } as const
    const sentence = `At each stop \`${y}\` had succeeded${since}`
    return { kind: 'finish', placed, sentence, ...measured }
  }
  const id = nameRule(x, 'after', y, z)
  const rule = { id, type: 'sequential_dependency', dependencies: { [x]: [y] }, ...after } as const
  const kind = z === null ? 'order' : 'fresh'
  const sentence = `\`${x}\` ran only when \`${y}\` had succeeded${since}`
  return { kind, placed: { pointer: '/policies/-', rule }, sentence, ...measured }
}
