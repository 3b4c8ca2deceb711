// The fields that rules of every type have (specs/config.md).

/** `enforce` acts, `shadow` is evaluated and recorded but does not act, `off` is not evaluated. Absent means `enforce`. */
export type RuleMode = 'enforce' | 'shadow' | 'off'

export interface RuleBase {
  /** Unique in the document; state is kept under this id. */
  readonly id: string
  readonly mode?: RuleMode
  /** When true, a runtime that does not know the type skips the rule and reports it; otherwise it refuses the version. */
  readonly optional?: boolean
}

/** Checkers have no mode: they are asked together. */
export interface CheckerBase {
  readonly id: string
}
