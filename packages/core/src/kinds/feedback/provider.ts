import type { Advice } from '../../model/effect.ts'
import type { Facts, GivenAdvice } from '../../model/fact.ts'
import type { SessionState } from '../../model/state.ts'

export const DEFAULT_TIMES = 3

/** `state` already counts the call. */
export interface FinishedCall {
  readonly state: SessionState
  readonly tool: string
  /** Time of the call's end, epoch ms. */
  readonly at: number
  readonly facts: Facts | undefined
}

/** Advice, with the provider's display name unless it has its own, or the reason why there is none. */
export type Said = GivenAdvice | { readonly error: string }

export interface Provider {
  readonly name: string
  /** True: code outside core gives the feedback, which is a fact of the end of the call. */
  readonly external: boolean
  /** Part of the session that the feedback rests on, in addition to the number of calls; null: none. */
  readonly tracks: 'failures' | 'repetition' | 'deadline' | null
  /** null: no feedback now. */
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
