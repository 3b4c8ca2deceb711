// What is wrong with a config document, as the editor, the API and the CLI show it.

/** One finding in a config document. */
export interface Problem {
  /** JSON pointer into the document; empty for the document itself. */
  readonly pointer: string
  readonly code: string
  /** An `error` refuses the document; a `warning` is advice. */
  readonly severity: 'error' | 'warning'
  /** One sentence: what is wrong and what to do. */
  readonly message: string
}
