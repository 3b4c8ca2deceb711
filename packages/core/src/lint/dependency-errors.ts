import { error } from '../kinds/base/place.ts'
import type { PlacedPolicy } from '../kinds/placed.ts'
import { policyRule } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Problem } from '../model/problem.ts'

interface Edge {
  readonly from: string
  readonly to: string
  readonly pointer: string
}

/** `declared`: empty if the document does not list its tools, so that every prerequisite may exist. */
export function dependencyErrors(
  policies: readonly PlacedPolicy[],
  declared: ReadonlySet<string>,
): Problem[] {
  const crossing = ruleWithTooMany(policies)
  if (crossing !== null) {
    const message = `The rules name more than ${MOST_PREREQUISITES} prerequisites together. Name fewer, or move some of the tools to separate configs.`
    return [error(crossing, 'too_many_prerequisites', message)]
  }
  const edges = policies.flatMap(listDependencyEdges)
  return [...cycles(edges), ...(declared.size === 0 ? [] : unmet(edges, declared))]
}

/** Limit for all rules of a document together. A document of 1 MiB can have ten times as many, which would take seconds to search. */
const MOST_PREREQUISITES = 20_000

/** Pointer of the rule with which the prerequisites of all rules exceed the limit; null: they do not exceed it. */
export function ruleWithTooMany(policies: readonly PlacedPolicy[]): string | null {
  let named = 0
  for (const { item, pointer } of policies) {
    const all = policyRule(item).prerequisites(item, pointer)
    for (const { needed } of all) named += needed.length
    const [first] = all
    if (first !== undefined && named > MOST_PREREQUISITES)
      return first.pointer.slice(0, first.pointer.lastIndexOf('/'))
  }
  return null
}

function listDependencyEdges({ item, pointer }: PlacedPolicy): Edge[] {
  if (item.mode === 'off') return []
  return policyRule(item)
    .prerequisites(item, pointer)
    .flatMap(({ tool: from, needed, pointer: at }) =>
      needed.map((to, i) => ({ from, to, pointer: pointerTo(at, i) })),
    )
}

function unmet(edges: readonly Edge[], declared: ReadonlySet<string>): Problem[] {
  return edges.flatMap(({ from, to, pointer }) => {
    if (declared.has(to)) return []
    const message = `No section declares the tool "${to}", so "${from}" could never run. Declare "${to}" or remove the prerequisite.`
    return [error(pointer, 'unmet_prerequisite', message)]
  })
}

function cycles(edges: readonly Edge[]): Problem[] {
  const component = findComponents(edges)
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

/** Two tools share a component if and only if each reaches the other. Linear time, because there may be many tools. */
function findComponents(edges: readonly Edge[]): ReadonlyMap<string, number> {
  const forth = neighbors(edges.map(({ from, to }) => [from, to]))
  const back = neighbors(edges.map(({ from, to }) => [to, from]))
  const component = new Map<string, number>()
  let count = 0
  for (const tool of finished(forth).reverse()) {
    if (component.has(tool)) continue
    const waiting = [tool]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (component.has(at)) continue
      component.set(at, count)
      waiting.push(...(back.get(at) ?? []))
    }
    count += 1
  }
  return component
}

type Neighbors = ReadonlyMap<string, readonly string[]>

function neighbors(edges: readonly (readonly [from: string, to: string])[]): Neighbors {
  const next = new Map<string, string[]>()
  for (const [from, to] of edges) {
    if (!next.has(to)) next.set(to, [])
    const known = next.get(from)
    if (known === undefined) next.set(from, [to])
    else known.push(to)
  }
  return next
}

/** All tools, each after its successors, ignoring cycles. Without recursion, because a chain may be long. */
function finished(next: Neighbors): string[] {
  const seen = new Set<string>()
  const order: string[] = []
  for (const start of next.keys()) {
    const path = enter(start, next, seen)
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const to = at.open.next()
      if (to.done === true) {
        order.push(at.tool)
        path.pop()
      } else path.push(...enter(to.value, next, seen))
    }
  }
  return order
}

interface Visit {
  readonly tool: string
  readonly open: Iterator<string>
}

/** Empty if the tool was visited before. */
function enter(tool: string, next: Neighbors, seen: Set<string>): Visit[] {
  if (seen.has(tool)) return []
  seen.add(tool)
  return [{ tool, open: (next.get(tool) ?? []).values() }]
}
