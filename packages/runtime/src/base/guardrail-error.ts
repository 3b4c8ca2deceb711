export type GuardrailErrorCode =
  | 'bad_options'
  | 'config_invalid'
  | 'spool_full'
  | 'spool_failed'
  | 'event_invalid'
  | 'args_too_large'
  | 'receipt_expired'
  | 'no_reply_address'
  | 'body_invalid'
  | 'not_json'
  | 'invalid_value'
  | 'slice_conflict'
  | 'snapshot_invalid'
  | 'prompt_invalid'
  | 'outside_workspace'
  | 'file_unavailable'
  | 'resume_invalid'
  | 'approval_unavailable'

const MARKER = Symbol.for('signalbox.guardrail-error')

/** Error of this library. `GuardrailError.is` also recognizes it across duplicate installs, where instanceof fails. */
export class GuardrailError extends Error {
  readonly code: GuardrailErrorCode
  readonly [MARKER] = true

  constructor(code: GuardrailErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'GuardrailError'
    this.code = code
  }

  static is(error: unknown): error is GuardrailError {
    return typeof error === 'object' && error !== null && MARKER in error
  }
}

/** Code of a Node.js error, such as `ENOENT`; the message if it has no code. */
export function readErrorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code)
  return describeError(error)
}

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
