// Next serves it (app/api); for runtimes the server in front of Next does (scripts/serve.mjs, decision 47).
import { OpenAPIHono } from '@hono/zod-openapi'
import { ProblemV1 } from '@signalbox/wire'
import type { Context } from 'hono'
import { z } from 'zod'
import { KEY_SCOPES } from '@/server/platform/auth/key-scopes.kinds.ts'
import { urlPrefix } from '@/server/platform/base/env.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { CONSOLE_FILES } from './console-files.ts'
import { getHealth } from './health.ts'
import { ALERT_ENDPOINTS } from './manage-alerts.ts'
import { ANNOTATION_ENDPOINTS } from './manage-annotations.ts'
import { APPROVAL_ENDPOINTS } from './manage-approvals.ts'
import { BACKTEST_ENDPOINTS } from './manage-backtests.ts'
import { CLAIM_ENDPOINTS } from './manage-claims.ts'
import { CONFIG_ENDPOINTS } from './manage-configs.ts'
import { EVENT_ENDPOINTS } from './manage-events.ts'
import { LABEL_ENDPOINTS } from './manage-labels.ts'
import { LIST_ENDPOINTS } from './manage-lists.ts'
import { PREVENTION_ENDPOINTS } from './manage-prevention.ts'
import { PROJECT_ENDPOINTS } from './manage-project.ts'
import { RELEASE_ENDPOINTS } from './manage-releases.ts'
import { ROLLOUT_ENDPOINTS } from './manage-rollouts.ts'
import { SESSION_ORDER_ENDPOINTS } from './manage-session-orders.ts'
import { STREAM_ENDPOINTS } from './manage-streams.ts'
import { SUGGESTION_ENDPOINTS } from './manage-suggestions.ts'
import { TRANSFER_ENDPOINTS } from './manage-transfer.ts'
import { type Endpoint, operation, PROBLEM_CONTENT, toJsonSchema, toRoute } from './operation.ts'
import { errorResponse, problemResponse } from './problem.ts'
import { RUNTIME_ENDPOINTS } from './runtime.ts'

const SERVER_ENDPOINTS = [
  operation(
    {
      method: 'GET',
      path: '/api/health',
      group: 'Server',
      summary: 'Check the health of the server',
      id: 'ask-whether-the-server-works',
      scope: null,
      answers: {
        200: {
          description: 'The database answers.',
          schema: z.object({ status: z.literal('ok'), version: z.string() }),
          example: { status: 'ok', version: '0.1.0' },
        },
        503: { description: 'The database is unreachable.' },
      },
    },
    getHealth,
  ),
  operation(
    {
      method: 'GET',
      path: '/api/openapi.json',
      group: 'Server',
      summary: 'Read this description',
      scope: null,
      answers: {
        200: {
          description: 'The OpenAPI 3.1 document.',
          schema: z.looseObject({ openapi: z.string() }),
          example: { openapi: '3.1.1' },
        },
      },
    },
    () => openapiResponse(),
  ),
]

export const ENDPOINTS: readonly Endpoint[] = [
  ...CONFIG_ENDPOINTS,
  ...RELEASE_ENDPOINTS,
  ...ROLLOUT_ENDPOINTS,
  ...BACKTEST_ENDPOINTS,
  ...CLAIM_ENDPOINTS,
  ...LIST_ENDPOINTS,
  ...EVENT_ENDPOINTS,
  ...SESSION_ORDER_ENDPOINTS,
  ...LABEL_ENDPOINTS,
  ...PREVENTION_ENDPOINTS,
  ...SUGGESTION_ENDPOINTS,
  ...APPROVAL_ENDPOINTS,
  ...PROJECT_ENDPOINTS,
  ...ALERT_ENDPOINTS,
  ...STREAM_ENDPOINTS,
  ...ANNOTATION_ENDPOINTS,
  ...TRANSFER_ENDPOINTS,
  ...RUNTIME_ENDPOINTS,
  ...SERVER_ENDPOINTS,
]

type Handler = (context: Context) => Promise<Response>

/** Closes the body of an answer to HEAD. The app answers HEAD like GET and drops the body, so a stream's source would stay open. */
function cancelUnread(handle: Handler): Handler {
  return async (context) => {
    const response = await handle(context)
    if (context.req.method === 'HEAD') await response.body?.cancel()
    return response
  }
}

export const api = new OpenAPIHono()
for (const { operation, handle } of ENDPOINTS) api.openapi(toRoute(operation), cancelUnread(handle))

for (const [name, handle] of Object.entries(CONSOLE_FILES)) {
  const [method = '', path = ''] = name.split(' ')
  api.on(method, path, cancelUnread(handle))
}

api.onError((error) => errorResponse(error))

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

api.notFound(({ req: { method, path } }) => {
  const taken = METHODS.filter((one) => api.router.match(one, path)[0].length > 0)
  if (taken.length === 0) {
    const detail = 'There is nothing at this address.'
    return problemResponse({ status: 404, title: 'Not found', detail })
  }
  const allow = [...taken, ...(taken.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
  const detail = `This address takes ${allow}.`
  return problemResponse({ status: 405, title: 'Method not allowed', detail, headers: { allow } })
})

const problem = (description: string) => ({ description, content: PROBLEM_CONTENT })

const { openAPIRegistry: registry } = api
registry.registerComponent('securitySchemes', 'key', {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key that begins with `sbx_`. `x-scope` of a route is the scope that it needs.',
})
registry.registerComponent('schemas', 'Problem', toJsonSchema(ProblemV1, 'output'))
for (const [name, description] of Object.entries({
  Invalid: 'The input is invalid; `errors` names the fields.',
  Unauthenticated: 'The key is missing, unknown, revoked or expired.',
  Forbidden: 'The key lacks the scope, or belongs to another environment.',
  NotFound: 'Not found in the key’s project.',
  TooMany: 'Too many requests; wait for the time in `Retry-After`.',
})) {
  registry.registerComponent('responses', name, problem(description))
}

const DESCRIPTION = `Two interfaces in one document. Runtimes use \`/api/runtime/v1\`; builds, scripts and \`signalbox pull | push | publish\` use \`/api/manage/v1\`.

A key belongs to one environment of one project and has scopes: ${KEY_SCOPES.map((scope) => `\`${scope}\``).join(', ')}. \`read\` reads the configs and releases of the whole project; \`publish\` releases only to the key’s environment, \`sessions:read\` reads only its records, \`approvals:answer\` answers only its waiting calls, and \`labels:write\` labels only its sessions. The audit log belongs to the project. Errors are problems (RFC 9457).`

/** The library types a document as OpenAPI 3.0, which has no identifier. */
const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

export function openapiDocument() {
  const {
    webhooks: _none,
    paths,
    components,
    ...head
  } = api.getOpenAPI31Document({
    openapi: '3.1.1',
    info: {
      title: 'Signalbox',
      version: packageJson.version,
      description: DESCRIPTION,
      license: LICENSE,
    },
    servers: [{ url: '/', description: 'The server that this document came from.' }],
    tags: [
      { name: 'Configs', description: 'Configs, drafts, versions, backtests, pinned cases.' },
      {
        name: 'Releases',
        description: 'Publish, promote, roll back, rollouts, and the adoption of releases.',
      },
      { name: 'Records', description: 'What agents did, and who changed what.' },
      { name: 'Project', description: 'Keys, people, environments, alert rules, annotations.' },
      { name: 'Transfer', description: 'Export and import.' },
      { name: 'Runtimes', description: 'Requests of runtimes: the processes of agents.' },
      { name: 'Server', description: 'Public routes.' },
    ],
  })
  return { ...head, paths, components }
}

let text: string | undefined

export function openapiText(): string {
  text ??= `${JSON.stringify(openapiDocument(), null, 2)}\n`
  return text
}

function openapiResponse(): Response {
  const address = JSON.stringify(urlPrefix() || '/')
  return new Response(
    openapiText().replace('"url": "/"', () => `"url": ${address}`),
    {
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=300',
      },
    },
  )
}
