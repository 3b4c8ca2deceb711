import type { CheckResult, CheckStatus } from '../../model/effect.ts'
import { checkSentence } from '../base/sentences.ts'

export interface CheckNode {
  readonly checker: string
  readonly pointer: string
  readonly type: string
  readonly status: CheckStatus
  readonly sentence: string
  /** Sequence numbers, ascending. */
  readonly because: readonly number[]
  readonly children: readonly CheckNode[] | null
}

export function checkNode(result: CheckResult): CheckNode {
  return {
    checker: result.checker,
    pointer: result.pointer,
    type: result.type,
    status: result.status,
    sentence: checkSentence(result),
    because: result.because,
    children: result.children?.map(checkNode) ?? null,
  }
}
