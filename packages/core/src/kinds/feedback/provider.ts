// Interface of every feedback provider type: its advice now, or null when it has none.
import type { Advice } from '../../model/effect.ts'
import type { Facts, GivenAdvice } from '../../model/fact.ts'
import type { SessionState } from '../../model/state.ts'

/** Repetitions in a row that count as going in circles. */
export const DEFAULT_TIMES = 3

/** A finished call, already counted in `state`. */
export interface FinishedCall {
  readonly state: SessionState
  /** Canonical name. */
  readonly tool: string
  /** Time of the call's end, epoch ms. */
  readonly at: number
  readonly facts: Facts | undefined
}

/** Advice, under the provider's own name unless it has another, or the reason why there is none. */
export type Said = GivenAdvice | { readonly error: string }

export interface Provider {
  /** Display name, as in `<feedback provider='Deadline'>`. */
  readonly name: string
  /** True: code outside core gives the feedback, which is a fact of the call's end. */
  readonly external: boolean
  /** Data that it needs counted beyond the number of calls. */
  readonly tracks: 'failures' | 'repetition' | null
  /** Null: should not run. */
  advise(finished: FinishedCall): Said | null
}

export function createProvider(
  name: string,
  advise: Provider['advise'],
  tracks: Provider['tracks'] = null,
): Provider {
  return { name, external: false, tracks, advise }
}

export function advice(
  severity: Advice['severity'],
  summary: string,
  suggestions: readonly string[] = [],
): Advice {
  return { severity, summary, observations: [], suggestions }
}
