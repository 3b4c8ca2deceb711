// The OpenAPI 3.1 document, made from the route table and the schemas that handlers enforce (specs/config-as-code.md).
import { ProblemV1 } from '@signalbox/wire'
import { z } from 'zod'
import packageJson from '../../../package.json' with { type: 'json' }
import {
  type ApiAnswer,
  type ApiBody,
  type ApiHeader,
  type ApiRoute,
  PARAMETERS,
  parametersOf,
} from './api-route.ts'
import { API_ROUTES } from './api-routes.ts'

type Json = { readonly [field: string]: unknown }

/** JSON Schema 2020-12 is OpenAPI's own dialect. `io`: what is sent, or what is answered. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const {
    $schema: _dialect,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    io,
  })
  if ($defs !== undefined) throw new Error('References inside a schema lead nowhere in OpenAPI.')
  return rest
}

function contentOf(
  { schema, example, contentType = 'application/json' }: ApiBody | (ApiAnswer & ApiBody),
  io: 'input' | 'output',
): Json {
  return { [contentType]: { schema: schemaOf(schema, io), example } }
}

function headersOf(headers: readonly ApiHeader[]): Json {
  return Object.fromEntries(
    headers.map(({ name, description, example }) => [
      name,
      { description, schema: { type: 'string' }, example },
    ]),
  )
}

function answerOf({ description, schema, example, contentType, headers }: ApiAnswer): Json {
  return {
    description,
    ...(headers === undefined ? {} : { headers: headersOf(headers) }),
    ...(schema === undefined
      ? {}
      : {
          content: contentOf(
            { schema, example, ...(contentType === undefined ? {} : { contentType }) },
            'output',
          ),
        }),
  }
}

const problem = (name: string): Json => ({ $ref: `#/components/responses/${name}` })

/** What the door answers whatever the route: bad input, keys that are not let in, too many requests. */
function answersOf(route: ApiRoute): Json {
  const told = Object.entries(route.answers).map(([status, answer]) => {
    const isProblem = Number(status) >= 400 && answer.schema === undefined
    return [
      status,
      isProblem ? { ...answerOf(answer), content: PROBLEM_CONTENT } : answerOf(answer),
    ]
  })
  const hasInput =
    route.neverInvalid !== true && (route.query !== undefined || route.body !== undefined)
  return {
    ...(hasInput ? { 422: problem('Invalid') } : {}),
    ...(route.scope === null
      ? {}
      : { 401: problem('Unauthenticated'), 403: problem('Forbidden'), 429: problem('TooMany') }),
    ...(route.path.includes('{') ? { 404: problem('NotFound') } : {}),
    ...Object.fromEntries(told),
  }
}

function parametersFor({ path, query, headers = [] }: ApiRoute): readonly Json[] {
  const inPath = parametersOf(path).map((name) => {
    const { schema, description, example } = PARAMETERS[name]
    const form = schemaOf(schema, 'output')
    return { name, in: 'path', required: true, description, schema: form, example }
  })
  const properties = query === undefined ? {} : query.shape
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    const { description = '', ...form } = schemaOf(schema, 'output')
    return { name, in: 'query', required: false, description, schema: form }
  })
  const inHeader = headers.map(({ name, description, example, isRequired = false }) => ({
    ...{ name, in: 'header', required: isRequired, description, example },
    schema: { type: 'string' },
  }))
  return [...inPath, ...inQuery, ...inHeader]
}

/** `publish-the-draft`: of the summary, for links and for clients that make functions of it. */
export function operationId({ summary }: ApiRoute): string {
  return summary.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

function operation(route: ApiRoute): Json {
  const { group, summary, description, scope, body } = route
  const parameters = parametersFor(route)
  return {
    operationId: operationId(route),
    tags: [group],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(scope === null ? { security: [] } : { security: [{ key: [] }], 'x-scope': scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: contentOf(body, 'input') } }),
    responses: answersOf(route),
  }
}

const PROBLEM_CONTENT = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
}
const problemResponse = (description: string): Json => ({ description, content: PROBLEM_CONTENT })

const DESCRIPTION = `Two interfaces in one document. Runtimes use \`/api/runtime/v1\`; builds, scripts and \`signalbox pull | push | publish\` use \`/api/manage/v1\`.

A key speaks for one environment of one project and has scopes: \`read\`, \`ingest\`, \`publish\`. It reads its whole project and releases to its own environment only. Errors are problems (RFC 9457).`

export function openapiDocument(): Json {
  const paths: Record<string, Json> = {}
  for (const route of API_ROUTES) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Signalbox',
      version: packageJson.version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document came from.' }],
    tags: [
      { name: 'Configs', description: 'Configs, drafts, versions.' },
      { name: 'Releases', description: 'Publish, promote, roll back, and how far they got.' },
      { name: 'Transfer', description: 'Export and import.' },
      { name: 'Runtimes', description: 'What agents’ processes send and get.' },
      { name: 'Server', description: 'Open to everybody.' },
    ],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, `sbx_` and more. `x-scope` of a route says which scope it needs.',
        },
      },
      schemas: { Problem: schemaOf(ProblemV1, 'output') },
      responses: {
        Invalid: problemResponse('What was sent is wrong; `errors` names the fields.'),
        Unauthenticated: problemResponse('The key is missing, unknown, revoked or expired.'),
        Forbidden: problemResponse('The key lacks the scope, or belongs to another environment.'),
        NotFound: problemResponse('There is nothing of this name in the key’s project.'),
        TooMany: problemResponse('Too many requests; wait as `Retry-After` says.'),
      },
    },
  }
}

let text: string | undefined

/** As served and as kept in specs/openapi.json. */
export function openapiText(): string {
  text ??= `${JSON.stringify(openapiDocument(), null, 2)}\n`
  return text
}
