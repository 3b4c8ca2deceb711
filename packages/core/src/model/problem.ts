import type { JsonValue } from './json.ts'

export interface Problem {
  /** JSON pointer into the document; empty for the document itself. */
  readonly pointer: string
  readonly code: string
  /** An `error` refuses the document; a `warning` is advice. */
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** The one obvious repair. Absent: the author must decide. */
  readonly fix?: ProblemFix
}

/** Change of one place in the document. `rename` gives a field another name and keeps its value. */
export type ProblemFix =
  | { readonly kind: 'set'; readonly pointer: string; readonly value: JsonValue }
  | { readonly kind: 'remove'; readonly pointer: string }
  | { readonly kind: 'rename'; readonly pointer: string; readonly name: string }
