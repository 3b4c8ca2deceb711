import type { CompiledConfig } from '@signalbox/core'
import type { TestedProposal, TogetherResult } from '@signalbox/core/learn'
import type { Unused } from './session-logs.ts'

export interface LearnedRules {
  readonly prompt: string
  readonly present: CompiledConfig
  readonly good: number
  readonly bad: number
  readonly min: number
  readonly unused: ReadonlyMap<Unused, number>
  /** Proposals that deny few enough good sessions, and the others. */
  readonly kept: readonly TestedProposal[]
  readonly refused: readonly TestedProposal[]
  /** null: nothing is kept. */
  readonly together: TogetherResult | null
  /** Calls of tools that were not looked at, by tool. */
  readonly skipped: ReadonlyMap<string, number>
}
