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

const AWAY_CODE = /^(08|57P|53|25006|25P03|40001|ECONN|EPIPE|ETIMEDOUT|P1001|P1002|P1017|P2024)/
const AWAY_MESSAGE =
  /Connection terminated|timeout (exceeded|expired)|not queryable|in a read-only transaction|is being moved to another database/i
/** Prisma has codes of its own, and names PostgreSQL's in its message. */
const PRISMA_MESSAGE = /Code: `(\w{5})`/

/**
 * True for failures after which the caller may repeat the request: of the connection to PostgreSQL, of a server that is not the primary
 * (any more), of a transaction that PostgreSQL ended to keep others consistent, and of writes to a project that is being moved.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (AWAY_CODE.test(readErrorCode(error))) return true
  if (!(error instanceof Error)) return false
  const [, code = ''] = PRISMA_MESSAGE.exec(error.message) ?? []
  return AWAY_CODE.test(code) || AWAY_MESSAGE.test(error.message)
}

/** True when PostgreSQL refused a write because its server is a standby, or became one. */
export function isReadOnlyServer(error: unknown): error is Error {
  return error instanceof Error && readErrorCode(error) === '25006'
}

/** True when PostgreSQL's lock_timeout ended a statement that waited for a lock. */
export function isLockLate(error: unknown): boolean {
  if (readErrorCode(error) === '55P03') return true
  return error instanceof Error && error.message.includes('due to lock timeout')
}
