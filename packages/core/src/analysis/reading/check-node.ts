import type { CheckResult, CheckStatus } from '../../model/effect.ts'
import { checkSentence } from '../base/stop-sentences.ts'

export interface CheckNode {
  readonly checker: string
  readonly pointer: string
  readonly type: string
  readonly status: CheckStatus
  readonly sentence: string
  /** Condition that was evaluated. Absent: the check has none. */
  readonly expression?: string
  /** Sequence numbers, ascending. */
  readonly because: readonly number[]
  readonly children: readonly CheckNode[] | null
}

export function checkNode(result: CheckResult): CheckNode {
  const { expression } = result.params
  return {
    checker: result.checker,
    pointer: result.pointer,
    type: result.type,
    status: result.status,
    sentence: checkSentence(result),
    ...(typeof expression === 'string' ? { expression } : {}),
    because: result.because,
    children: result.children?.map(checkNode) ?? null,
  }
}
