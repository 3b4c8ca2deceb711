// The door of the management API: the key with the route's scope, not too many requests, and parameters, query and body as
// the route declares them (server/http/openapi). Handlers see parsed values only.
import { promptFromPath } from '@signalbox/wire'
import type { z } from 'zod'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { createThrottle } from '@/server/platform/auth/throttle.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { requireStorable } from '@/server/platform/unstorable.ts'
import { readJsonBody } from './json-body.ts'
import { type ApiRoute, PARAMETERS, parametersOf } from './openapi/api-route.ts'
import { answer, problemResponse } from './problem.ts'

const WINDOW_MS = 60_000
/** Requests of one key in a minute; a build of a hundred configs needs about 400. */
export const MOST_REQUESTS = 1_200

const requests = createThrottle({
  name: 'management requests',
  ...{ limit: MOST_REQUESTS, windowMs: WINDOW_MS },
})

type ManageRoute = ApiRoute & { readonly scope: 'read' | 'publish' }

type BodyOf<Route extends ApiRoute> = Route extends {
  readonly body: { readonly schema: infer Schema extends z.ZodType }
}
  ? z.output<Schema>
  : undefined

type QueryOf<Route extends ApiRoute> = Route extends {
  readonly query: infer Schema extends z.ZodObject
}
  ? z.output<Schema>
  : undefined

export interface ManageCall<Route extends ManageRoute> {
  readonly scope: KeyScope<Route['scope']>
  readonly request: Request
  /** Of the address; empty texts where the address has none. */
  readonly prompt: { readonly ns: string; readonly key: string }
  readonly number: number
  readonly id: string
  readonly query: QueryOf<Route>
  readonly body: BodyOf<Route>
}

interface RouteContext {
  /** Undefined: the route has no dynamic segment; Next then hands over no parameters at all. */
  readonly params: Promise<Readonly<Record<string, string>>> | undefined
}

export type ManageHandler = (request: Request, context: RouteContext) => Promise<Response>

/** The handler that Next calls: `work` runs once the caller is let in and everything it sent has the declared form. */
export function managed<Route extends ManageRoute>(
  route: Route,
  work: (call: ManageCall<Route>) => Promise<Response>,
): ManageHandler {
  return (request, context) =>
    answer(async () => {
      // requireKeyScope proves the scope that it was asked for.
      const scope = (await requireKeyScope(request, route.scope)) as KeyScope<Route['scope']>
      if (!(await requests.admit(scope.keyId))) return tooMany()
      const address = readParameters(route, (await context.params) ?? {})
      const query = readQuery(route, request)
      const body = await readBody(route, request)
      if (!body.ok) return body.response
      // The route's own schemas made both values.
      const parsed = { query: query as QueryOf<Route>, body: body.value as BodyOf<Route> }
      return await work({ scope, request, ...address, ...parsed })
    })
}

function tooMany(): Response {
  return problemResponse({
    status: 429,
    title: 'Too many requests',
    detail: `A key may send ${MOST_REQUESTS} requests a minute. Wait, then go on.`,
    headers: { 'retry-after': String(WINDOW_MS / 1000) },
  })
}

/** An address that no row can have is not found, like one that no row has. */
function readParameters(route: ApiRoute, params: Readonly<Record<string, string>>) {
  const read: Record<string, unknown> = {}
  for (const name of parametersOf(route.path)) {
    const parsed = PARAMETERS[name].schema.safeParse(params[name])
    if (!parsed.success) throw new ServiceError('not_found', 'There is nothing at this address.')
    read[name] = parsed.data
  }
  const { ns = '', key = '' } = params
  return {
    prompt: promptFromPath(ns, key),
    number: Number(read['number'] ?? 0),
    id: String(read['id'] ?? ''),
  }
}

function readQuery(route: ApiRoute, request: Request): unknown {
  if (route.query === undefined) return undefined
  const given = Object.fromEntries(new URL(request.url).searchParams)
  const parsed = route.query.strict().safeParse(given)
  if (parsed.success) {
    requireStorable(parsed.data)
    return parsed.data
  }
  const issue = parsed.error.issues[0]
  const field = issue?.path.join('.') ?? ''
  const message = issue?.message ?? 'The query is wrong.'
  throw new ServiceError('invalid', field === '' ? message : `${field}: ${message}`, field)
}

async function readBody(
  route: ApiRoute,
  request: Request,
): Promise<{ ok: true; value: unknown } | { ok: false; response: Response }> {
  if (route.body === undefined) return { ok: true, value: undefined }
  return await readJsonBody(request, route.body.schema, route.body.maxBytes)
}
