// A recorded checker tree with the operator's sentence beside every check.
import type { CheckResult, CheckStatus } from '@signalbox/core'
import { checkSentence } from '@signalbox/core/views'

export interface CheckNode {
  readonly checker: string
  readonly pointer: string
  readonly type: string
  readonly status: CheckStatus
  readonly sentence: string
  /** Only on composites: whether one passing child is enough, as the code of the result tells. */
  readonly children: readonly CheckNode[] | null
}

export function checkNode(result: CheckResult): CheckNode {
  return {
    checker: result.checker,
    pointer: result.pointer,
    type: result.type,
    status: result.status,
    sentence: checkSentence(result),
    children: result.children?.map(checkNode) ?? null,
  }
}

/** True when a part of the tree has no result of its own. */
export function hasUntouched(node: CheckNode): boolean {
  if (node.status === 'not_evaluated' || node.status === 'bypassed') return true
  return node.children?.some(hasUntouched) ?? false
}
