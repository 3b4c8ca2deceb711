import type { RuleBase } from './rule.ts'

/** Conditions are combined with OR; at least one must be present. */
export interface TriggerDocument {
  /** ≥ 1 finished calls since this provider's own last delivery. */
  readonly every_n_calls?: number
  /** > 0 seconds since this provider's own last delivery. Before the first delivery, the condition always holds. */
  readonly every_n_seconds?: number
  /** Fires once per session, when the file is found to exist. */
  readonly on_file_created?: { readonly filename: string }
}

export type TriggerCondition = keyof TriggerDocument

export interface ProviderBase extends RuleBase {
  readonly trigger: TriggerDocument
}
