import { warning } from '../kinds/base/place.ts'
import type { PlacedPolicy } from '../kinds/placed.ts'
import { policyRule } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Problem } from '../model/problem.ts'
import type { RuleMode } from '../model/rule.ts'
import { ruleWithTooMany } from './dependency-errors.ts'

interface Edge {
  readonly tool: string
  readonly needed: string
  readonly mode: RuleMode
  readonly rule: string
  readonly pointer: string
}

export function orderAdvice(policies: readonly PlacedPolicy[]): readonly Problem[] {
  if (ruleWithTooMany(policies) !== null) return []
  const edges = policies.flatMap(listOrderEdges)
  const enforced = edges.filter(({ mode }) => mode === 'enforce')
  return [...singleOrder(enforced), ...brokenChains(enforced, edges)]
}

function listOrderEdges({ item, pointer, section }: PlacedPolicy): readonly Edge[] {
  const { mode = 'enforce', id: rule } = item
  const all = policyRule(item).prerequisites(item, pointer)
  return all.flatMap(({ tool, needed: before, pointer: at }) => {
    if (section !== null && !(section.tools ?? []).includes(tool)) return []
    return before.map((needed, i) => ({ tool, needed, mode, rule, pointer: pointerTo(at, i) }))
  })
}

/** A shorter sequence of tools is an ordinary prerequisite. */
const SHORTEST_WORKFLOW = 4

function singleOrder(edges: readonly Edge[]): readonly Problem[] {
  const [first] = edges
  const line = findOnlyOrder(edges)
  if (first === undefined || line.length < SHORTEST_WORKFLOW) return []
  const message = `The rules allow only one order: ${shortened(line).join(', ')}. If the work is a fixed sequence, a workflow is better than an agent; if not, remove the prerequisites that are not needed.`
  return [warning(first.pointer.replace(/\/dependencies\/.*$/, ''), 'single_order', message)]
}

const MOST_NAMED = 12

function shortened(line: readonly string[]): readonly string[] {
  return line.length <= MOST_NAMED ? line : [...line.slice(0, MOST_NAMED - 1), '…']
}

/** The only possible order. Empty: there is none or more than one, because at some point not exactly one tool can come next. */
function findOnlyOrder(edges: readonly Edge[]): readonly string[] {
  const waitsFor = new Map<string, Set<string>>()
  const before = new Map<string, string[]>()
  for (const { tool, needed } of edges) {
    waitsFor.set(tool, (waitsFor.get(tool) ?? new Set()).add(needed))
    if (!waitsFor.has(needed)) waitsFor.set(needed, new Set())
    const dependents = before.get(needed)
    if (dependents === undefined) before.set(needed, [tool])
    else dependents.push(tool)
  }
  const line: string[] = []
  let next = [...waitsFor].flatMap(([tool, needed]) => (needed.size === 0 ? [tool] : []))
  for (let [tool] = next; tool !== undefined && next.length === 1; [tool] = next) {
    line.push(tool)
    next = []
    for (const other of new Set(before.get(tool))) {
      const left = waitsFor.get(other)
      left?.delete(tool)
      if (left?.size === 0) next.push(other)
    }
  }
  return line.length === waitsFor.size ? line : []
}

function brokenChains(enforced: readonly Edge[], edges: readonly Edge[]): readonly Problem[] {
  const kept = new Set(enforced.map(({ tool, needed }) => toPairKey(tool, needed)))
  const open = new Map<string, Edge>()
  for (const edge of edges) {
    if (!kept.has(toPairKey(edge.tool, edge.needed)) && !open.has(edge.tool))
      open.set(edge.tool, edge)
  }
  return enforced.flatMap(({ tool, needed, pointer }) => {
    const loose = open.get(needed)
    if (loose === undefined) return []
    const mode = loose.mode === 'off' ? 'switched off' : 'in shadow mode'
    const message = `"${tool}" relies on "${needed}", but nothing enforces that "${needed}" comes after "${loose.needed}": the rule "${loose.rule}" is ${mode}. Enforce it, or also name "${loose.needed}" here.`
    return [warning(pointer, 'chain_not_enforced', message)]
  })
}

function toPairKey(tool: string, needed: string): string {
  return `${tool} ${needed}`
}
