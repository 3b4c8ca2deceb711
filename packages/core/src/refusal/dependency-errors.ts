// The dependency graph of all sequential rules: cycles, self-dependencies and prerequisites that nobody can meet.
import { pointerTo } from '../json.ts'
import { isKnownPolicy } from '../policies/registry.ts'
import type { Problem } from '../problem.ts'
import { error, type PlacedPolicy } from './placed.ts'

interface Edge {
  readonly from: string
  readonly to: string
  readonly pointer: string
}

/** `declared` is empty when the document does not list its tools; then every prerequisite may exist. */
export function dependencyErrors(
  policies: readonly PlacedPolicy[],
  declared: ReadonlySet<string>,
): Problem[] {
  const edges = policies.flatMap(edgesOf)
  return [...cycles(edges), ...(declared.size === 0 ? [] : unmet(edges, declared))]
}

function edgesOf({ item, pointer }: PlacedPolicy): Edge[] {
  if (!isKnownPolicy(item) || item.type !== 'sequential_dependency') return []
  if (item.mode === 'off') return []
  const base = pointerTo(pointer, 'dependencies')
  return Object.entries(item.dependencies).flatMap(([from, needed]) =>
    needed.map((to, i) => ({ from, to, pointer: pointerTo(pointerTo(base, from), i) })),
  )
}

function unmet(edges: readonly Edge[], declared: ReadonlySet<string>): Problem[] {
  return edges.flatMap(({ from, to, pointer }) => {
    if (declared.has(to)) return []
    const message = `No section declares the tool "${to}", so "${from}" could never run. Declare "${to}" or remove the prerequisite.`
    return [error(pointer, 'unmet_prerequisite', message)]
  })
}

/** An edge whose two ends reach each other lies on a cycle. */
function cycles(edges: readonly Edge[]): Problem[] {
  const component = componentsOf(edges)
  return edges.flatMap(({ from, to, pointer }) => {
    if (from === to) {
      const message = `"${from}" requires itself, so it could never run. Remove the prerequisite.`
      return [error(pointer, 'self_dependency', message)]
    }
    if (component.get(from) !== component.get(to)) return []
    const message = `"${from}" and "${to}" require each other, directly or through others, so neither could ever run. Remove one of the prerequisites.`
    return [error(pointer, 'dependency_cycle', message)]
  })
}

function componentsOf(edges: readonly Edge[]): ReadonlyMap<string, number> {
  const next = new Map<string, string[]>()
  for (const { from, to } of edges) {
    next.set(from, [...(next.get(from) ?? []), to])
    if (!next.has(to)) next.set(to, [])
  }
  // Two tools share a component exactly when each reaches the other; graphs here have at most a few hundred nodes.
  const reach = new Map([...next.keys()].map((tool) => [tool, reachable(tool, next)]))
  const component = new Map<string, number>()
  let count = 0
  for (const tool of next.keys()) {
    if (component.has(tool)) continue
    for (const other of reach.get(tool) ?? []) {
      if (reach.get(other)?.has(tool) === true) component.set(other, count)
    }
    component.set(tool, count++)
  }
  return component
}

function reachable(
  start: string,
  next: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const seen = new Set<string>()
  const waiting = [...(next.get(start) ?? [])]
  for (let tool = waiting.pop(); tool !== undefined; tool = waiting.pop()) {
    if (seen.has(tool)) continue
    seen.add(tool)
    waiting.push(...(next.get(tool) ?? []))
  }
  return seen
}
