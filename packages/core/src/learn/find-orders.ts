// "X after Y", "X after Y since the last Z", and the same at stops.
import { FAMILIES, findGroup, type LearnCounts, STOP, sumGroup } from './counts.ts'
import type { Pattern, Samples } from './pattern.ts'
import { nameRule } from './rule-name.ts'
import { computeSurprise, isDifferent, type Share, shareLimit } from './statistics.ts'

/** An order that chance breaks in fewer sessions guards nothing. */
const LEAST_MISSED = 0.05
const LEAST_OUTDATED = 0.1
/** A tool that explains much less than the best one is a companion of it, and makes nothing outdated. */
const NEARLY_BEST = 0.6
const FEWEST_BAD = 2
const CONTRAST = 0.05

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

/** An order with enough sessions, whatever they say. */
interface Tried extends Pick<Found, 'x' | 'y' | 'z'> {
  readonly kept: Share
  /** Sessions in which the rule would refuse something. */
  readonly broken: Share
}

export function findOrders(samples: Samples): readonly Pattern[] {
  const tried = [...findGroup(samples.good, FAMILIES.called).keys()].flatMap((x) =>
    listTried(samples, x),
  )
  const contrasted = new Set(tried.filter((one) => isContrasted(samples, one)))
  const [need, needContrasted] = [shareLimit(tried.length), shareLimit(contrasted.size)]
  const found = tried.flatMap((one) => {
    const order = testOrder(samples, one)
    const least = contrasted.has(one) ? needContrasted : need
    return order === null || order.surprise < least ? [] : [order]
  })
  const plain = found.filter(({ z }) => z === null)
  const fresh = found.filter(({ z }) => z !== null)
  const best = fresh.filter((one) => isBest(samples, one, fresh))
  return prune(plain, best).map((order) => toPattern(samples, order))
}

function listTried(samples: Samples, x: string): readonly Tried[] {
  const { good, effect, limits } = samples
  const calls = findGroup(good, FAMILIES.called).get(x) ?? 0
  // An order before a mere look guards nothing.
  if (calls < limits.minSessions || effect(x) === 'reads') return []
  return [...findGroup(good, FAMILIES.before, x)].flatMap(([y, of]) => {
    if (isFileAtStop(samples, { x, y })) return []
    const late = findGroup(good, FAMILIES.late, x, y)
    const missing = calls - of
    const fresh = [...findGroup(good, FAMILIES.both, x, y)].flatMap(([z, all]) => {
      if (all < limits.minSessions || effect(z) === 'reads') return []
      const outdated = late.get(z) ?? 0
      const broken = { of: missing + outdated, all: calls }
      return [{ x, y, z, kept: { of: all - outdated, all }, broken }]
    })
    if (x === STOP) return fresh
    return [
      { x, y, z: null, kept: { of, all: calls }, broken: { of: missing, all: calls } },
      ...fresh,
    ]
  })
}

/** Bad sessions break it more often, which is no coincidence with what good sessions keep: such orders are tested among themselves. */
function isContrasted({ bad }: Samples, order: Tried): boolean {
  return isDifferent({ bad: countBroken(bad, order), good: order.broken }, FEWEST_BAD, CONTRAST)
}

/** That a stop needs a file to be written is better said by the file. */
function isFileAtStop({ effect }: Samples, { x, y }: Pair): boolean {
  return x === STOP && effect(y) === 'writes'
}

type Pair = Pick<Found, 'x' | 'y'>

function testOrder({ good, limits }: Samples, { x, y, z, kept }: Tried): Found | null {
  if (kept.of / kept.all < limits.minKept) return null
  const calls = findGroup(good, FAMILIES.called).get(x) ?? 0
  const before = findGroup(good, FAMILIES.before, x).get(y) ?? 0
  if (before / calls < limits.minKept) return null
  const chance = z === null ? computeOrderChance(good, x, y) : computeFreshChance(good, y, z)
  if (1 - chance < (z === null ? LEAST_MISSED : LEAST_OUTDATED)) return null
  const surprise = computeSurprise(kept.of, kept.all, chance)
  return { x, y, z, chance, surprise, strength: surprise / kept.all }
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
  return expected / sumGroup(calls)
}

/** Share of moments at which Y is newer than Z. */
function computeFreshChance(good: LearnCounts, y: string, z: string): number {
  const newer = findGroup(good, FAMILIES.newer, y).get(z) ?? 0
  const older = findGroup(good, FAMILIES.newer, z).get(y) ?? 0
  return newer + older === 0 ? 0.5 : newer / (newer + older)
}

/** Where a tool that is known to write explains the order, weaker ones of unknown effect are its companions. */
function isBest({ effect }: Samples, one: Found, found: readonly Found[]): boolean {
  const isWriter = ({ z }: Found) => z !== null && effect(z) === 'writes'
  const same = found.filter(({ x, y }) => x === one.x && y === one.y)
  const best = Math.max(...same.map(({ strength }) => strength))
  const bestWriter = Math.max(0, ...same.filter(isWriter).map(({ strength }) => strength))
  return (
    one.strength >= best * NEARLY_BEST && (isWriter(one) || one.strength * NEARLY_BEST > bestWriter)
  )
}

/** Leaves out what another order already says. */
function prune(plain: readonly Found[], fresh: readonly Found[]): readonly Found[] {
  const has = (list: readonly Found[], x: string, y: string) =>
    list.some((one) => one.x === x && one.y === y)
  const isImplied = ({ x, y }: Found) =>
    has(fresh, x, y) ||
    plain.some((other) => other.y === y && (has(plain, x, other.x) || has(fresh, x, other.x)))
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
