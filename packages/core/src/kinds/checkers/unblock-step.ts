export type UnblockAction =
  | { readonly kind: 'run'; readonly tool: string }
  /** `path`: normal form. */
  | { readonly kind: 'file'; readonly path: string }
  /** `index`: position in the session's plan, from 0. */
  | { readonly kind: 'plan_step'; readonly index: number }
  | { readonly kind: 'answer'; readonly rule: string }
  | { readonly kind: 'model' }
  | { readonly kind: 'other' }

export interface UnblockStep {
  /** Checkers that need the step, in document order. Empty: only another run needs this run. */
  readonly checkers: readonly string[]
  /** Tools of the plan that this run must precede. Empty for other kinds of steps. */
  readonly prerequisiteOf: readonly string[]
  readonly code: string
  /** Imperative sentence: `Finish “Run full suite”`; Markdown code spans mark names. */
  readonly text: string
  /** `config`: only a change of the config can take the step. */
  readonly owner: 'agent' | 'operator' | 'config'
  /** Sequence number of the event that set the present value; null: no event did. */
  readonly since: number | null
  readonly action: UnblockAction
  /** Reason why no one can take the step; null: someone can. */
  readonly obstacle: string | null
}
