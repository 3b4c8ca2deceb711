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

/** Invalid input with a reason that a program can compare. */
export class InvalidInput extends ServiceError {
  readonly reason: string

  constructor({
    reason,
    field,
    message,
  }: {
    readonly reason: string
    readonly field: string
    readonly message: string
  }) {
    super('invalid', message, field)
    this.reason = reason
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

/** True: a file or folder does not exist. */
export function isAbsent(error: unknown): boolean {
  return read(error, 'code') === 'ENOENT'
}

function read(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

/** SQLSTATE, socket or Prisma codes. Prisma keeps the driver's error in `meta`, or throws it without a code when COMMIT failed. */
function readCodes(error: unknown): readonly string[] {
  const driver = read(read(read(error, 'meta'), 'driverAdapterError') ?? error, 'cause')
  const codes = [read(error, 'code'), read(driver, 'originalCode'), read(driver, 'kind')]
  return codes.filter((code) => typeof code === 'string')
}

const AWAY_CODES = [
  // PostgreSQL and PgBouncer: connection failed; server stops, starts, is full or a standby; transaction ended or not serializable.
  /^(08|57P|53|25006$|25P03$|25P04$|40001$)/,
  // Sockets. On the network, the server or its name may be gone.
  /^(ECONN|EHOST|ENET|EPIPE$|ETIMEDOUT$|ENOTFOUND$|EAI_AGAIN$)/,
  // Prisma and its adapter, which have these instead of the codes of sockets.
  /^(P1001|P1008|P1017|DatabaseNotReachable|SocketTimeout|ConnectionClosed)$/,
]
const AWAY_MESSAGES = [
  // Driver.
  /Connection terminated|timeout (exceeded|expired)|not queryable|Query read timeout|connect ENOENT|error establishing an SSL connection/,
  // Prisma: no connection was free in time, or the server kept a transaction waiting until its time was over.
  /Unable to start a transaction in the given time|expired transaction/,
  /in a read-only transaction|is being moved to another database/,
]

/** The caller may repeat the request. Includes transactions that PostgreSQL ended for consistency, and writes to a project that is moving. */
export function isDatabaseAway(error: unknown): boolean {
  if (readCodes(error).some((code) => AWAY_CODES.some((away) => away.test(code)))) return true
  return error instanceof Error && AWAY_MESSAGES.some((away) => away.test(error.message))
}

export function isReadOnlyServer(error: unknown): error is Error {
  return error instanceof Error && readCodes(error).includes('25006')
}

export function isLockLate(error: unknown): boolean {
  if (readCodes(error).includes('55P03')) return true
  return error instanceof Error && error.message.includes('due to lock timeout')
}
