// Reports of the runtime to its host about itself. Never part of a decision, never holds a secret.

export interface Diagnostic {
  readonly level: 'info' | 'warning' | 'error'
  readonly code: string
  readonly message: string
}

export type OnDiagnostic = (diagnostic: Diagnostic) => void

/** A host that throws while it is told something must not stop what tells it. */
export function safely(report: OnDiagnostic | undefined): OnDiagnostic {
  return (diagnostic) => {
    try {
      report?.(diagnostic)
    } catch {
      // There is nobody left to tell.
    }
  }
}
