// Service errors become RFC 9457 problems. Any other error is a defect, logged without the request's content and answered with 500.
import {
  HTTP_STATUS,
  InvalidInput,
  isDatabaseAway,
  ServiceError,
  type ServiceErrorCode,
} from '@/server/platform/base/errors.ts'
import { logger } from '@/server/platform/observability/log.mjs'

const TITLE = {
  not_found: 'Not found',
  forbidden: 'Forbidden',
  unauthenticated: 'Unauthenticated',
  invalid: 'Invalid request',
  conflict: 'Conflict',
  limit: 'Too many requests',
  timeout: 'Request timeout',
  unavailable: 'Unavailable',
} as const satisfies Record<ServiceErrorCode, string>

export interface ProblemDetail {
  /** JSON pointer into the body, or into the query as an object of its parameters. */
  readonly pointer: string
  readonly detail: string
}

export interface ProblemInput {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly errors?: readonly ProblemDetail[]
  readonly code?: string
  readonly gates?: readonly { readonly gate: string; readonly detail: string }[]
  readonly problems?: readonly object[]
  readonly headers?: Readonly<Record<string, string>>
}

/** An error answer, thrown by code that cannot return an answer. */
export class Problem extends Error {
  readonly input: ProblemInput

  constructor(input: ProblemInput) {
    super(input.detail)
    this.name = 'Problem'
    this.input = input
  }
}

interface WrongField {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

const toJsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Throws the 422 for a body or a query of another form. `toPointer`: of a field; absent: by the names of the path. */
export function refuseForm(
  part: 'body' | 'query',
  fields: readonly WrongField[],
  toPointer = toJsonPointer,
): never {
  throw new Problem({
    status: 422,
    title: TITLE.invalid,
    detail: `The ${part} does not have the form that this endpoint accepts.`,
    errors: fields.map(({ path, message }) => ({ pointer: toPointer(path), detail: message })),
  })
}

export function problemResponse({ headers, ...problem }: ProblemInput): Response {
  return new Response(JSON.stringify({ type: 'about:blank', ...problem }), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...headers,
    },
  })
}

export function jsonResponse(
  body: object,
  told: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const { status = 200, headers } = told
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

function pointerTo(field: string): string {
  return field === '' || field.startsWith('/') ? field : `/${field.replaceAll('.', '/')}`
}

export function errorResponse(error: unknown): Response {
  if (error instanceof Problem) return problemResponse(error.input)
  if (error instanceof ServiceError) {
    const { code, message, field } = error
    return problemResponse({
      status: HTTP_STATUS[code],
      title: TITLE[code],
      detail: message,
      ...(error instanceof InvalidInput ? { code: error.reason } : {}),
      ...(field === undefined ? {} : { errors: [{ pointer: pointerTo(field), detail: message }] }),
      // The rest of the body may still arrive, but no code reads it.
      ...(code === 'timeout' ? { headers: { connection: 'close' } } : {}),
      ...(code === 'unavailable' ? { headers: { 'retry-after': '1' } } : {}),
    })
  }
  if (isDatabaseAway(error)) {
    return problemResponse({
      status: 503,
      title: TITLE.unavailable,
      detail: 'The database does not answer. Send the same request again.',
      headers: { 'retry-after': '1' },
    })
  }
  logger.error({ err: error }, 'a handler failed')
  return problemResponse({
    status: 500,
    title: 'Internal error',
    detail: 'The server made a mistake; its log has the details.',
  })
}

export async function answer(handle: () => Promise<Response>): Promise<Response> {
  try {
    return await handle()
  } catch (error) {
    return errorResponse(error)
  }
}
