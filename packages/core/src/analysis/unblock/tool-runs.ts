// Exact while a success stays valid: the set of runs is the smallest, and a tool runs twice only if every order with one run would break a
// rule. Where a rule has `after`, the runs are found one by one, and may be more than needed.
import type { CompiledConfig } from '../../engine/compile.ts'
import type { CallOrder } from '../../kinds/policies/policy.ts'
import { getIn } from '../../model/persistent-map.ts'
import { lastSuccess, type SessionState } from '../../model/state.ts'
import type { Need } from './needs.ts'

type RunNeed = NonNullable<Need['run']>

export interface ToolRuns {
  /** In an order in which they can run; a tool may appear twice. */
  readonly order: readonly string[]
  readonly before: ReadonlyMap<string, readonly string[]>
  /** Tools that would each have to be newer than the others. Empty: none. */
  readonly conflict: readonly string[]
  /** False: there may be a plan with fewer runs. */
  readonly isSmallest: boolean
}

export type Orders = (tool: string) => readonly CallOrder[]

export function ordersAt(config: CompiledConfig, state: SessionState): Orders {
  return (tool) => {
    const acting = config.rulesFor(tool).policies.filter(({ mode }) => mode === 'enforce')
    return acting.flatMap(({ policy }) => policy.order?.(tool, state) ?? [])
  }
}

/** Sequence number of the tool's last run; null: it has not run. */
export function findLastRun(state: SessionState, tool: string): number | null {
  return getIn(state.tallies, tool)?.lastSeq ?? null
}

/** `state`: before the runs. */
export function toolRuns(needs: readonly RunNeed[], orders: Orders, state: SessionState): ToolRuns {
  const before = neededRuns(needs, orders)
  const tools = [...before.keys()]
  if (tools.some((tool) => orders(tool).some(({ after }) => after.length > 0)))
    return runOneByOne(needs, orders, state)
  const after = new Map(tools.map((tool) => [tool, newerThan(tool, needs, before)]))
  const graph = { tools, before, after }
  const stuck = unordered(graph, new Set())
  const twice = stuck.length === 0 ? new Set<string>() : smallestRepetition(graph, stuck)
  return twice === null
    ? { order: tools, before, conflict: stuck, isSmallest: true }
    : { order: listSortedTools(graph, twice), before, conflict: [], isSmallest: true }
}

/** More rounds do not help: what is still unmet waits for itself. */
const MOST_ROUNDS = 64

function runOneByOne(needs: readonly RunNeed[], orders: Orders, state: SessionState): ToolRuns {
  const last = new Map<string, number>()
  const order: string[] = []
  const before = new Map<string, readonly string[]>()
  const success = (tool: string): number => last.get(tool) ?? lastSuccess(state, tool)
  const isNewer = (tool: string, after: readonly string[]): boolean =>
    after.every((other) => success(other) < success(tool))
  const listMissing = (tool: string): readonly string[] => [
    ...new Set(
      orders(tool).flatMap(({ needed, after }) =>
        needed.filter((one) => success(one) === 0 || !isNewer(one, after)),
      ),
    ),
  ]
  const run = (tool: string, waiting: readonly string[]): boolean => {
    if (waiting.includes(tool)) return false
    const first = listMissing(tool)
    for (let round = 0; listMissing(tool).length > 0; round++) {
      const [next = tool] = listMissing(tool)
      if (round === MOST_ROUNDS || !run(next, [...waiting, tool])) return false
    }
    before.set(tool, before.get(tool) ?? first)
    order.push(tool)
    last.set(tool, state.seq + order.length)
    return true
  }
  const isMet = ({ tool, after, isMet: wasMet }: RunNeed): boolean =>
    last.has(tool) ? isNewer(tool, after) : wasMet && !after.some((other) => last.has(other))
  for (let round = 0; ; round++) {
    const unmet = needs.filter((need) => !isMet(need))
    const isLater = ({ after }: RunNeed): boolean => unmet.some(({ tool }) => after.includes(tool))
    const next = unmet.find((need) => !isLater(need)) ?? unmet[0]
    if (next === undefined) return { order, before, conflict: [], isSmallest: order.length < 2 }
    if (round === MOST_ROUNDS || !run(next.tool, [])) {
      const conflict = unmet.map(({ tool }) => tool)
      return { order: [...new Set([...order, ...conflict])], before, conflict, isSmallest: false }
    }
  }
}

function neededRuns(
  needs: readonly RunNeed[],
  orders: Orders,
): ReadonlyMap<string, readonly string[]> {
  const runs = new Map<string, readonly string[]>()
  const add = (tool: string): void => {
    if (runs.has(tool)) return
    const missing = [...new Set(orders(tool).flatMap((order) => order.missing))]
    runs.set(tool, missing)
    missing.forEach(add)
  }
  for (let size = -1; size !== runs.size; ) {
    size = runs.size
    for (const { tool, after, isMet } of needs) {
      if (!isMet || after.some((other) => runs.has(other))) add(tool)
    }
  }
  return runs
}

function newerThan(
  tool: string,
  needs: readonly RunNeed[],
  runs: ReadonlyMap<string, unknown>,
): readonly string[] {
  const own = needs.filter((need) => need.tool === tool)
  return [...new Set(own.flatMap(({ after }) => after.filter((other) => runs.has(other))))]
}

interface Graph {
  readonly tools: readonly string[]
  /** The first run of the key must come after the first runs of the values. */
  readonly before: ReadonlyMap<string, readonly string[]>
  /** The last run of the key must come after the last runs of the values. */
  readonly after: ReadonlyMap<string, readonly string[]>
}

/** A required run: the only one of its tool, or the first or last of two. */
interface Run {
  readonly tool: string
  readonly part: 'only' | 'first' | 'last'
}

/** `rest`: runs on a cycle or after one. */
function sorted(graph: Graph, twice: ReadonlySet<string>): { order: Run[]; rest: Run[] } {
  let rest: Run[] = graph.tools.flatMap((tool): Run[] =>
    twice.has(tool)
      ? [
          { tool, part: 'first' },
          { tool, part: 'last' },
        ]
      : [{ tool, part: 'only' }],
  )
  const order: Run[] = []
  for (;;) {
    const next = rest.find((run) => !rest.some((other) => mustPrecede(graph, other, run)))
    if (next === undefined) return { order, rest }
    order.push(next)
    rest = rest.filter((run) => run !== next)
  }
}

function mustPrecede({ before, after }: Graph, one: Run, other: Run): boolean {
  if (one === other) return false
  if (one.tool === other.tool) return one.part === 'first'
  const isFirst = (run: Run): boolean => run.part !== 'last'
  const isLast = (run: Run): boolean => run.part !== 'first'
  return (
    (isFirst(one) && isFirst(other) && (before.get(other.tool) ?? []).includes(one.tool)) ||
    (isLast(one) && isLast(other) && (after.get(other.tool) ?? []).includes(one.tool))
  )
}

function listSortedTools(graph: Graph, twice: ReadonlySet<string>): readonly string[] {
  return sorted(graph, twice).order.map(({ tool }) => tool)
}

function unordered(graph: Graph, twice: ReadonlySet<string>): readonly string[] {
  return [...new Set(sorted(graph, twice).rest.map(({ tool }) => tool))]
}

/** With more candidates, all of them run twice: correct, but perhaps not the fewest runs. */
const MOST_CANDIDATES = 12

/** The fewest tools that must run twice; null: even two runs do not help. */
function smallestRepetition(graph: Graph, stuck: readonly string[]): ReadonlySet<string> | null {
  const candidates = stuck.filter((tool) => (graph.after.get(tool) ?? []).length > 0)
  if (unordered(graph, new Set(candidates)).length > 0) return null
  if (candidates.length > MOST_CANDIDATES) return new Set(candidates)
  const bySize = subsets(candidates).sort((a, b) => a.length - b.length)
  const fewest = bySize.find((subset) => unordered(graph, new Set(subset)).length === 0)
  return new Set(fewest ?? candidates)
}

function subsets<Item>(items: readonly Item[]): Item[][] {
  const found: Item[][] = [[]]
  for (const item of items) found.push(...found.map((some) => [...some, item]))
  return found
}
