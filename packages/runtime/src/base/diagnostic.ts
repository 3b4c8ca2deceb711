// Reports of the runtime to its host about itself. Never part of a decision, never holds a secret.

export interface Diagnostic {
  readonly level: 'info' | 'warning' | 'error'
  readonly code: string
  readonly message: string
}

export type OnDiagnostic = (diagnostic: Diagnostic) => void

/** A host that throws in its diagnostic callback must not stop the code that reports. */
export function safely(report: OnDiagnostic | undefined): OnDiagnostic {
  return (diagnostic) => {
    try {
      report?.(diagnostic)
    } catch {
      // There is nothing left to report to.
    }
  }
}
