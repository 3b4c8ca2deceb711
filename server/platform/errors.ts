// Service errors: failures with a code that each API maps to a status. Expected outcomes are return values instead.

export type ServiceErrorCode =
  | 'not_found'
  | 'forbidden'
  | 'unauthenticated'
  | 'invalid'
  | 'conflict'
  | 'limit'
  | 'timeout'
  | 'unavailable'

/** `message` is shown to the caller: what failed, why, and what to do. */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode
  /** Field or JSON pointer that the caller can correct. */
  readonly field: string | undefined

  constructor(code: ServiceErrorCode, message: string, field?: string) {
    super(message)
    this.name = 'ServiceError'
    this.code = code
    this.field = field
  }
}

export const HTTP_STATUS = {
  not_found: 404,
  forbidden: 403,
  unauthenticated: 401,
  invalid: 422,
  conflict: 409,
  limit: 429,
  timeout: 408,
  unavailable: 503,
} as const satisfies Record<ServiceErrorCode, number>

function readErrorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** True for failures of the connection to PostgreSQL, after which the caller may repeat the request. */
export function isDatabaseAway(error: unknown): boolean {
  const code = readErrorCode(error)
  if (/^(08|57P|53)/.test(code) || /^(ECONN|EPIPE|ETIMEDOUT|P1001|P1002|P1017|P2024)/.test(code)) {
    return true
  }
  return error instanceof Error && /Connection terminated|timeout exceeded/i.test(error.message)
}

/** True when PostgreSQL's lock_timeout ended a statement that waited for a lock. */
export function isLockLate(error: unknown): boolean {
  if (readErrorCode(error) === '55P03') return true
  return error instanceof Error && error.message.includes('due to lock timeout')
}
