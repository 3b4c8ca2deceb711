// What every feedback provider type supplies: what it would say now, or null when it has nothing to say.
import type { FeedbackDelivery } from '../effect.ts'
import type { SessionState } from '../state.ts'

export type Advice = Pick<FeedbackDelivery, 'severity' | 'summary' | 'observations' | 'suggestions'>

export interface Provider {
  /** Display name, as in `<feedback provider='Deadline'>`. */
  readonly name: string
  /** `at` is the time of the call's end, epoch ms. Null: should not run. */
  advise(state: SessionState, at: number): Advice | null
}
