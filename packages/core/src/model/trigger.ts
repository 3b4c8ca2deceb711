// Conditions under which a feedback provider gives feedback.
import type { RuleBase } from './rule.ts'

/** Conditions are OR-ed; at least one must be present. */
export interface TriggerDocument {
  /** ≥ 1 finished calls since this provider's own last delivery. */
  readonly every_n_calls?: number
  /** > 0 seconds since this provider's own last delivery; the first opportunity fires. */
  readonly every_n_seconds?: number
  /** Fires once per session when the file is seen to exist. */
  readonly on_file_created?: { readonly filename: string }
}

export type TriggerCondition = keyof TriggerDocument

/** The fields that providers of every type have. */
export interface ProviderBase extends RuleBase {
  readonly trigger: TriggerDocument
}
