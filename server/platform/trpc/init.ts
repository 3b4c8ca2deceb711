// Routers use `procedureFor(permission)`; a router that names no permission does not compile against a scope.
import { initTRPC, TRPCError } from '@trpc/server'
import { ZodError } from 'zod'
import { type Permission, requirePermission } from '../auth/permissions.ts'
import { requireProjectScope, requireUser } from '../auth/session.ts'
import { isDatabaseAway, ServiceError, type ServiceErrorCode } from '../base/errors.ts'
import { noteUnavailable } from '../observability/log.mjs'
import { traced } from '../observability/traced.ts'
import { requireStorable } from '../unstorable.ts'
import type { TrpcContext } from './context.ts'

const TRPC_CODE = {
  not_found: 'NOT_FOUND',
  forbidden: 'FORBIDDEN',
  unauthenticated: 'UNAUTHORIZED',
  invalid: 'UNPROCESSABLE_CONTENT',
  conflict: 'CONFLICT',
  limit: 'TOO_MANY_REQUESTS',
  timeout: 'TIMEOUT',
  unavailable: 'SERVICE_UNAVAILABLE',
} as const satisfies Record<ServiceErrorCode, TRPCError['code']>

const t = initTRPC.context<TrpcContext>().create({
  sse: {
    // The console reports a silent connection within three seconds (components/live/line.ts).
    ping: { enabled: true, intervalMs: 1000 },
    // A subscription ends after five minutes; the client reconnects and passes the gate again.
    maxDurationMs: 300_000,
    client: { reconnectAfterInactivityMs: 10_000 },
  },
  errorFormatter({ shape, error, ctx }) {
    const { message = shape.message, field } = toErrorDetails(error.cause)
    const { requestId } = ctx ?? {}
    return { ...shape, message, data: { ...shape.data, stack: undefined, field, requestId } }
  },
})

function toErrorDetails(cause: unknown): {
  readonly message?: string
  readonly field?: string | undefined
} {
  if (cause instanceof ServiceError) return { field: cause.field }
  const issue = cause instanceof ZodError ? cause.issues[0] : undefined
  if (issue === undefined) return {}
  const field = issue.path.join('.')
  return { field, message: field === '' ? issue.message : `${field}: ${issue.message}` }
}

const mapErrors = t.middleware(async ({ next }) => {
  const result = await next()
  if (!result.ok && result.error.cause instanceof ServiceError) {
    const { code, message } = result.error.cause
    if (code === 'unavailable') noteUnavailable()
    throw new TRPCError({ code: TRPC_CODE[code], message, cause: result.error.cause })
  }
  if (!result.ok && isDatabaseAway(result.error.cause)) {
    noteUnavailable()
    throw new TRPCError({
      code: TRPC_CODE.unavailable,
      message: 'The database does not answer. Try again in a moment.',
      cause: result.error.cause,
    })
  }
  return result
})

const trace = t.middleware(async ({ path, type, next }) =>
  // A subscription lasts for minutes, and its request already has a span.
  type === 'subscription' ? await next() : await traced(`tRPC ${path}`, {}, next),
)

const refuseUnstorable = t.middleware(async ({ getRawInput, next }) => {
  // A body that cannot be parsed fails when it is read; a procedure without input never reads it.
  requireStorable(await getRawInput().catch(() => undefined))
  return next()
})

export const router = t.router
export const createCallerFactory = t.createCallerFactory

export const publicProcedure = t.procedure.use(trace).use(mapErrors).use(refuseUnstorable)

/** `ctx.user` is signed in but may not be a member of any project. */
export const userProcedure = publicProcedure.use(async ({ ctx, next }) =>
  next({ ctx: { user: await requireUser(ctx.headers) } }),
)

/** `ctx.scope` is the caller's ProjectScope. Every procedure for project data starts here. */
export const projectProcedure = publicProcedure.use(async ({ ctx, next }) =>
  next({ ctx: { scope: await requireProjectScope(ctx.headers) } }),
)

export function procedureFor(permission: Permission) {
  return projectProcedure.use(async ({ ctx, next }) => {
    requirePermission(ctx.scope.role, permission)
    return next()
  })
}
