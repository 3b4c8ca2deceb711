// Questions about every run that goes on from a state: can it still end, and how often can something happen.
import { type Edge, STOPPED } from './moves.ts'

/** The number of the first state from which no stop can ever pass; null: there is none. */
export function findTrap(count: number, edges: readonly Edge[]): number | null {
  const before = groupEdges(count, edges, 'to')
  const good = new Set(edges.flatMap(({ from, ran }) => (ran === STOPPED ? [from] : [])))
  const waiting = [...good]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const reached = (before[at] ?? []).map(({ from }) => from).filter((from) => !good.has(from))
    for (const from of reached) good.add(from)
    waiting.push(...reached)
  }
  const trap = before.findIndex((_, at) => !good.has(at))
  return trap === -1 ? null : trap
}

/** Most edges of `tool` on any path; null: a loop has one, so there is no limit. */
export function countMost(count: number, edges: readonly Edge[], tool: string): number | null {
  const components = findComponents(groupEdges(count, edges, 'from'))
  const place = (at: number): number => components[at] ?? 0
  const isLoop = ({ from, to, ran }: Edge): boolean => ran === tool && place(from) === place(to)
  if (edges.some(isLoop)) return null
  const most = new Map<number, number>()
  // A component has a larger number than those that it leads to.
  for (const { from, to, ran } of [...edges].sort((a, b) => place(a.from) - place(b.from))) {
    const here = (most.get(place(to)) ?? 0) + (ran === tool ? 1 : 0)
    most.set(place(from), Math.max(most.get(place(from)) ?? 0, here))
  }
  return Math.max(0, ...most.values())
}

function groupEdges(
  count: number,
  edges: readonly Edge[],
  by: 'from' | 'to',
): readonly (readonly Edge[])[] {
  const groups = Array.from({ length: count }, (): Edge[] => [])
  for (const edge of edges) groups[edge[by]]?.push(edge)
  return groups
}

interface Visit {
  readonly at: number
  readonly rest: Iterator<Edge>
}

/** Number of the strongly connected component of each state (Tarjan's algorithm, without recursion). */
function findComponents(next: readonly (readonly Edge[])[]): readonly number[] {
  const time = new Map<number, number>()
  const low = new Map<number, number>()
  const component: number[] = []
  const path: number[] = []
  let count = 0
  const enter = (at: number): Visit => {
    time.set(at, time.size)
    low.set(at, time.size - 1)
    path.push(at)
    return { at, rest: (next[at] ?? []).values() }
  }
  const lower = (at: number, to: number | undefined): void => {
    low.set(at, Math.min(low.get(at) ?? 0, to ?? 0))
  }
  const leave = (at: number): void => {
    if (low.get(at) !== time.get(at)) return
    for (const one of path.splice(path.lastIndexOf(at))) component[one] = count
    count += 1
  }
  const follow = (work: Visit[], { at, rest }: Visit): void => {
    const edge = rest.next()
    if (edge.done === true) {
      work.pop()
      leave(at)
      const caller = work.at(-1)
      if (caller !== undefined) lower(caller.at, low.get(at))
    } else if (!time.has(edge.value.to)) work.push(enter(edge.value.to))
    else if (component[edge.value.to] === undefined) lower(at, time.get(edge.value.to))
  }
  for (const start of next.keys()) {
    const work = time.has(start) ? [] : [enter(start)]
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) follow(work, top)
  }
  return component
}
