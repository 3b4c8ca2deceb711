// A check that cannot be computed states the reason and never passes.
import type { CheckResult, CheckStatus, EventOf } from '@signalbox/core'
import { type CheckNode, checkerRule, checkNode } from '@signalbox/core/analysis'

const isUntouched = ({ status }: Pick<CheckNode, 'status'>): boolean =>
  status === 'not_evaluated' || status === 'bypassed'

export function hasUntouched(node: CheckNode): boolean {
  return isUntouched(node) || (node.children?.some(hasUntouched) ?? false)
}

type Facts = EventOf<'stop.attempted'>['data']['facts']

/** Reason why a check without a result cannot be evaluated over the recorded facts; null: it can. */
function describeObstacle(
  { checker, code, params, type }: CheckResult,
  facts: Facts,
): string | null {
  const restsOn = checkerRule({ id: checker, type })?.restsOn
  if (code.endsWith('.not_answered') && facts?.answers?.[checker] === undefined) {
    return restsOn === 'model'
      ? 'Cannot be replayed: the judge’s model was not asked at the time, and is not asked now'
      : 'Cannot be replayed: its code runs in the runtime, and was not called at the time'
  }
  const unknown = params['unknown']
  const missing = params['missing']
  const isBlind = Array.isArray(unknown) && unknown.length > 0 && facts?.files === undefined
  if (restsOn === 'files' && isBlind && Array.isArray(missing) && missing.length === 0) {
    return `Cannot be replayed: the runtime did not look up ${unknown.map(String).join(', ')}`
  }
  return null
}

export interface Computed {
  readonly root: CheckNode
  readonly replayed: number
  /** Reason of the first check that cannot be replayed; null: all can. */
  readonly obstacle: string | null
}

interface Context {
  readonly facts: Facts
  readonly untouched: ReadonlySet<string>
  /** True: one passing child of this composite suffices. */
  readonly isAny: (checker: string) => boolean
  replayed: number
  obstacle: string | null
}

function untouchedLeaves(node: CheckNode): readonly string[] {
  if (node.children !== null) return node.children.flatMap(untouchedLeaves)
  return isUntouched(node) ? [node.checker] : []
}

function compositeNode(result: CheckResult, children: readonly CheckNode[], isAny: boolean) {
  const node = { ...checkNode(result), children }
  if (!children.some(({ status }) => status === 'not_evaluated')) return node
  const decides = (status: CheckStatus): boolean => {
    const complete = status === 'passed' || status === 'nothing_to_check'
    return status !== 'not_evaluated' && complete === isAny
  }
  // Another child decides it whatever the unknown one results in.
  if (children.some(({ status }) => decides(status))) return node
  const sentence = 'Not known: a check beneath it cannot be replayed'
  return { ...node, status: 'not_evaluated' as const, sentence }
}

function computedNode(result: CheckResult, context: Context): CheckNode {
  const { children } = result
  if (children !== undefined) {
    const nodes = children.map((child) => computedNode(child, context))
    return compositeNode(result, nodes, context.isAny(result.checker))
  }
  if (!context.untouched.has(result.checker)) return checkNode(result)
  const obstacle = describeObstacle(result, context.facts)
  if (obstacle === null) {
    context.replayed += 1
    return checkNode(result)
  }
  context.obstacle ??= obstacle
  return { ...checkNode(result), status: 'not_evaluated', sentence: obstacle, because: [] }
}

/** `whole`: result of evaluating every check over the recorded facts. */
export function computedTree(
  whole: CheckResult,
  recorded: CheckNode,
  { facts, isAny }: Pick<Context, 'facts' | 'isAny'>,
): Computed {
  const untouched = new Set(untouchedLeaves(recorded))
  const context: Context = { facts, isAny, untouched, replayed: 0, obstacle: null }
  const root = computedNode(whole, context)
  return { root, replayed: context.replayed, obstacle: context.obstacle }
}
