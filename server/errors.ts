// Service errors: failures with a code that the doors map to a status. Expected outcomes are return values instead.

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
  /** Field or JSON pointer that the caller can mend. */
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
