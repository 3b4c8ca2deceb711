// One step towards a stop.

export type UnblockAction =
  | { readonly kind: 'run'; readonly tool: string }
  /** Path in normal form. */
  | { readonly kind: 'file'; readonly path: string }
  /** Place in the session's plan, from 0. */
  | { readonly kind: 'plan_step'; readonly index: number }
  /** The judge or the custom check that must pass. */
  | { readonly kind: 'answer'; readonly rule: string }
  /** The runtime gets a model, so that judges answer. */
  | { readonly kind: 'model' }
  /** A step that cannot be simulated here. */
  | { readonly kind: 'other' }

export interface UnblockStep {
  /** The checkers that need it, in document order; empty for a run that only another run needs. */
  readonly checkers: readonly string[]
  /** Tools of the plan that a run must precede. Empty for other steps. */
  readonly prerequisiteOf: readonly string[]
  readonly code: string
  /** A sentence with the verb first: `Finish “Run full suite”`; Markdown code spans mark names. */
  readonly text: string
  /** `config`: only another version of the config takes it. */
  readonly owner: 'agent' | 'operator' | 'config'
  /** Sequence number of the event that set the present value; null when nothing did. */
  readonly since: number | null
  readonly action: UnblockAction
  /** The reason why no one can take it; null: someone can. */
  readonly obstacle: string | null
}
