// What the runtime tells its host about itself. Never part of a decision, never holds a secret.

export interface Diagnostic {
  readonly level: 'info' | 'warning' | 'error'
  readonly code: string
  readonly message: string
}

export type OnDiagnostic = (diagnostic: Diagnostic) => void
