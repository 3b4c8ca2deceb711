// The sentences for people are in lint (`compileChecked`), because agents that load checked documents never need them.

export type RefusalCause =
  /** `first`: pointer of the place that already has the name. */
  | {
      readonly code: 'duplicate_rule_id' | 'duplicate_tool'
      readonly name: string
      readonly first: string
    }
  | {
      readonly code: 'unknown_type' | 'skipped_unknown_type'
      readonly name: string
      readonly known: readonly string[]
    }
  | { readonly code: 'expression_invalid'; readonly message: string }
  | { readonly code: 'expression_condition' | 'expression_engine_missing' | 'too_deep' }

export type Refusal = RefusalCause & {
  readonly pointer: string
  /** `warning` only for an optional rule that is skipped. */
  readonly severity: 'error' | 'warning'
}
