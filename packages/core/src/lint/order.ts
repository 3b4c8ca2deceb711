// What all sequential rules together make of the order of work.
import type { RuleMode } from '../config.ts'
import { pointerTo } from '../json.ts'
import { isKnownPolicy } from '../policies/registry.ts'
import type { Problem } from '../problem.ts'
import { type PlacedPolicy, warning } from '../refusal/placed.ts'

interface Edge {
  readonly tool: string
  readonly needed: string
  readonly mode: RuleMode
  readonly rule: string
  readonly pointer: string
}

export function orderAdvice(policies: readonly PlacedPolicy[]): readonly Problem[] {
  const edges = policies.flatMap(edgesOf)
  const enforced = edges.filter(({ mode }) => mode === 'enforce')
  return [...singleOrder(enforced), ...brokenChains(enforced, edges)]
}

function edgesOf({ item, pointer, section }: PlacedPolicy): readonly Edge[] {
  if (!isKnownPolicy(item) || item.type !== 'sequential_dependency') return []
  const { mode = 'enforce', id: rule } = item
  const base = pointerTo(pointer, 'dependencies')
  return Object.entries(item.dependencies).flatMap(([tool, all]) => {
    if (section !== null && !(section.tools ?? []).includes(tool)) return []
    return all.map((needed, i) => ({
      ...{ tool, needed, mode, rule },
      pointer: pointerTo(pointerTo(base, tool), i),
    }))
  })
}

/** Fewer tools in a row are an ordinary prerequisite. */
const SHORTEST_WORKFLOW = 4

/** All tools of the rules stand in one line: each of them needs the one before it. */
function singleOrder(edges: readonly Edge[]): readonly Problem[] {
  const tools = [...new Set(edges.flatMap(({ tool, needed }) => [needed, tool]))]
  const [first] = edges
  if (first === undefined || tools.length < SHORTEST_WORKFLOW) return []
  const before = new Map(tools.map((tool) => [tool, ancestorsOf(tool, edges)]))
  const line = [...tools].sort((a, b) => (before.get(a)?.size ?? 0) - (before.get(b)?.size ?? 0))
  // In a line the first tool has none before it, the second has one, and so on.
  if (!line.every((tool, place) => before.get(tool)?.size === place)) return []
  const message = `The rules leave one order only: ${line.join(', ')}. If the work is a fixed sequence, a workflow does it better than an agent; if not, drop the prerequisites that are not needed.`
  return [warning(first.pointer.replace(/\/dependencies\/.*$/, ''), 'single_order', message)]
}

function ancestorsOf(tool: string, edges: readonly Edge[]): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (one: string): void => {
    for (const { tool: other, needed } of edges) {
      if (other !== one || found.has(needed)) continue
      found.add(needed)
      visit(needed)
    }
  }
  visit(tool)
  return found
}

/** An enforced rule asks for a tool whose own prerequisites are not enforced. */
function brokenChains(enforced: readonly Edge[], edges: readonly Edge[]): readonly Problem[] {
  return enforced.flatMap(({ tool, needed, pointer }) => {
    const loose = edges.filter((edge) => edge.tool === needed && edge.mode !== 'enforce')
    const kept = new Set(enforced.filter((edge) => edge.tool === needed).map((e) => e.needed))
    const open = loose.find((edge) => !kept.has(edge.needed))
    if (open === undefined) return []
    const mode = open.mode === 'off' ? 'switched off' : 'in shadow mode'
    const message = `"${tool}" relies on "${needed}", but that "${needed}" comes after "${open.needed}" is not enforced: the rule "${open.rule}" is ${mode}. Enforce it, or name "${open.needed}" here, too.`
    return [warning(pointer, 'chain_not_enforced', message)]
  })
}
