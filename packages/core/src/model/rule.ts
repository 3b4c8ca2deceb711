/** `enforce` acts; `shadow` is evaluated and recorded but does not act; `off` is not evaluated. Absent: `enforce`. */
export type RuleMode = 'enforce' | 'shadow' | 'off'

export interface RuleBase {
  /** Unique in the document; the rule's state is stored under it. */
  readonly id: string
  readonly mode?: RuleMode
  /** True: a runtime that does not know the type skips the rule and reports it. Absent or false: it refuses the version. */
  readonly optional?: boolean
}

/** Checkers have no mode, because their tree gives one verdict. */
export interface CheckerBase {
  readonly id: string
}

/** Where a rule of a config that extends another comes from. `stricter`: of the base, changed here. `own`: only here. */
export type RuleOrigin = 'base' | 'stricter' | 'own'
