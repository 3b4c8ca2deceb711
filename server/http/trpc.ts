// /api/trpc: the console's API. Mutations, and queries with a body, must come from the console's own pages. Queries change nothing.
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { withRequestedProject } from '@/server/platform/auth/asked-project.ts'
import { isSameOrigin } from '@/server/platform/auth/origins.ts'
import { logger } from '@/server/platform/observability/log.mjs'
import { createContext } from '@/server/platform/trpc/context.ts'
import { appRouter } from '@/server/trpc/root.ts'
import { refuseLargeBody } from './body-limit.ts'
import { problemResponse } from './problem.ts'

const MAX_BYTES = 4 * 1024 * 1024

export async function handleTrpc(request: Request): Promise<Response> {
  if (request.method !== 'GET' && !isSameOrigin(request.headers)) {
    return problemResponse({
      status: 403,
      title: 'Forbidden',
      detail: 'This request does not come from the console at its public address (SIGNALBOX_URL).',
    })
  }
  const refused = refuseLargeBody(request, MAX_BYTES)
  if (refused !== null) return refused
  const context = createContext(withRequestedProject(request))
  const response = await fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router: appRouter,
    createContext: () => context,
    // A query that is too long for an address is sent in a body.
    allowMethodOverride: true,
    onError: ({ error, path }) => {
      if (error.code !== 'INTERNAL_SERVER_ERROR') return
      const { requestId } = context
      logger.error({ err: error.cause ?? error, procedure: path, requestId }, 'a procedure failed')
    },
  })
  // A stream logs more about itself.
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store')
  return response
}
