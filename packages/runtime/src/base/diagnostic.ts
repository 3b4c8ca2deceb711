/** A report about the runtime itself, for its host. Never affects a decision and never contains a secret. */
export interface Diagnostic {
  readonly level: 'info' | 'warning' | 'error'
  readonly code: string
  readonly message: string
}

export type OnDiagnostic = (diagnostic: Diagnostic) => void

/** Wraps `report` so that an error in the host's callback does not stop the code that reports. */
export function safely(report: OnDiagnostic | undefined): OnDiagnostic {
  return (diagnostic) => {
    try {
      report?.(diagnostic)
    } catch {
      // A failed report cannot be reported.
    }
  }
}
