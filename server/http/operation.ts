// A handler receives only parsed values. A schema is declared with its operation or in packages/wire (specs/config-as-code.md).
import { createRoute } from '@hono/zod-openapi'
import { EnvironmentName, PromptKey, promptFromPath, VersionNumber } from '@signalbox/wire'
import type { Context } from 'hono'
import { z } from 'zod'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import type { KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { readJsonBody } from './json-body.ts'
import { readQuery } from './read-query.ts'

export interface ApiHeader {
  readonly name: string
  readonly description: string
  readonly example: string
  readonly isRequired?: boolean
}

interface ApiBody {
  readonly schema: z.ZodType
  readonly example: unknown
  /** Absent: `application/json`. The handler reads a body of another type. */
  readonly contentType?: string
  /** Bytes as sent. Absent: 1 MiB. */
  readonly maxBytes?: number
}

interface ApiAnswer {
  readonly description: string
  /** Absent: no body. */
  readonly schema?: z.ZodType
  readonly example?: unknown
  readonly contentType?: string
  readonly headers?: readonly ApiHeader[]
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are in braces and documented in PARAMETERS. */
  readonly path: string
  readonly group:
    | 'Configs'
    | 'Releases'
    | 'Records'
    | 'Project'
    | 'Transfer'
    | 'Runtimes'
    | 'Server'
  /** A few words, unique among operations. */
  readonly summary: string
  /** Published operation id that no longer follows from `summary`. Absent: derived from it. */
  readonly id?: string
  readonly description?: string
  /** Scope of the API key; null: open to everyone. */
  readonly scope: KeyScopeName | null
  readonly query?: z.ZodObject
  readonly headers?: readonly ApiHeader[]
  readonly body?: ApiBody
  /** Never answers 422: unknown parameters are ignored, and lines are validated one by one. */
  readonly neverInvalid?: true
  /** By status. Answers that every operation may give are added to the document. */
  readonly answers: Readonly<Record<number, ApiAnswer>>
}

export interface Endpoint {
  readonly operation: Operation
  readonly handle: (context: Context) => Promise<Response>
}

const PathNs = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,119}$/, 'Use the namespace with "~" for "/".')

/** Handlers receive `ns` with its slashes. */
export const PARAMETERS = {
  ns: {
    schema: PathNs,
    description: 'Namespace of the prompt, with `~` for `/`.',
    example: 'support~triage',
  },
  key: { schema: PromptKey, description: 'Name of the prompt.', example: 'answer' },
  name: { schema: EnvironmentName, description: 'Name of the environment.', example: 'dev' },
  number: { schema: z.coerce.number().pipe(VersionNumber), description: 'Version.', example: 3 },
  id: {
    schema: z.string().regex(/^[A-Za-z0-9_]{1,64}$/),
    description: 'Id, as the list shows it.',
    example: 'rel_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  },
} as const

type ParameterName = keyof typeof PARAMETERS

export const PageQuery = z.object({
  after: z.string().max(400).optional().describe('`next` of the previous page.'),
  limit: z.coerce
    .number()
    .pipe(z.int().min(1).max(200))
    .default(50)
    .describe('Maximum number of rows.'),
})

type NameIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NameIn<Rest>
  : never

type ParametersOf<Path extends string> = {
  readonly [Name in NameIn<Path> & ParameterName]: z.output<(typeof PARAMETERS)[Name]['schema']>
}

/** Does not compile for a path with a parameter that PARAMETERS lacks. */
export type Explained<Path extends string> = [Exclude<NameIn<Path>, ParameterName>] extends [never]
  ? unknown
  : { readonly path: `{${ParameterName}}` }

type ScopeOf<Scope extends KeyScopeName | null> = Scope extends KeyScopeName
  ? KeyScope<Scope>
  : null

type QueryOf<Declared extends Operation> = Declared extends { readonly neverInvalid: true }
  ? undefined
  : Declared extends { readonly query: infer Schema extends z.ZodObject }
    ? z.output<Schema>
    : undefined

type BodyOf<Declared extends Operation> = Declared extends {
  readonly body: { readonly contentType: string }
}
  ? undefined
  : Declared extends { readonly body: { readonly schema: infer Schema extends z.ZodType } }
    ? z.output<Schema>
    : undefined

export interface Call<Declared extends Operation> {
  readonly context: Context
  readonly request: Request
  readonly scope: ScopeOf<Declared['scope']>
  readonly parameters: ParametersOf<Declared['path']>
  readonly query: QueryOf<Declared>
  readonly body: BodyOf<Declared>
}

/** `work` runs once the key is accepted and the request has the declared form. @param admit Throws when an accepted key must wait. */
export function operation<const Declared extends Operation>(
  declared: Declared & Explained<Declared['path']>,
  work: (call: Call<Declared>) => Response | Promise<Response>,
  admit?: (scope: KeyScope) => Promise<void>,
): Endpoint {
  const { scope: needed, path, query, neverInvalid }: Operation = declared
  const names = parameterNames(path)
  const handle = async (context: Context): Promise<Response> => {
    const request = context.req.raw
    const scope = needed === null ? null : await requireKeyScope(request, needed)
    if (scope !== null) await admit?.(scope)
    const read = {
      parameters: readParameters(names, context),
      query:
        neverInvalid === true || query === undefined
          ? undefined
          : readQuery(query.strict(), request),
      body: await readBody(declared, request),
    }
    // The key was accepted for the declared scope, and the declared schemas parsed the values.
    return await work({ context, request, scope, ...read } as Call<Declared>)
  }
  return { operation: declared, handle }
}

function parameterNames(path: string): readonly ParameterName[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    if (Object.hasOwn(PARAMETERS, name)) return name as ParameterName
    throw new Error(`Explain the parameter "${name}" of ${path} in PARAMETERS.`)
  })
}

/** An address that no row can have is answered with "not found", like one without a row. */
function readParameters(names: readonly ParameterName[], context: Context): object {
  const values: Partial<Record<ParameterName, string | number>> = {}
  for (const name of names) {
    const { success, data } = PARAMETERS[name].schema.safeParse(context.req.param(name))
    if (!success) throw new ServiceError('not_found', 'There is nothing at this address.')
    values[name] = data
  }
  const { ns, key } = values
  return ns === undefined ? values : { ...values, ...promptFromPath(String(ns), String(key)) }
}

async function readBody({ body }: Operation, request: Request): Promise<unknown> {
  if (body === undefined || body.contentType !== undefined) return undefined
  return await readJsonBody(request, body.schema, body.maxBytes)
}

type Json = { readonly [field: string]: unknown }

/** JSON Schema 2020-12, which is OpenAPI's own dialect. `io`: what is sent, or what is answered. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const {
    $schema: _dialect,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, { unrepresentable: 'any', io })
  if ($defs !== undefined) throw new Error('References inside a schema lead nowhere in OpenAPI.')
  return rest
}

function toContent(
  { schema, example, contentType = 'application/json' }: ApiBody | (ApiAnswer & ApiBody),
  io: 'input' | 'output',
) {
  return { [contentType]: { schema: toJsonSchema(schema, io), example } }
}

function toHeaders(headers: readonly ApiHeader[]) {
  return Object.fromEntries(
    headers.map(({ name, description, example }) => [
      name,
      { description, schema: { type: 'string' as const }, example },
    ]),
  )
}

export const PROBLEM_CONTENT = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
}

function toAnswer({ schema, headers, ...answer }: ApiAnswer, isProblem: boolean) {
  const { description, example } = answer
  return {
    description,
    ...(headers && { headers: toHeaders(headers) }),
    ...(schema && { content: toContent({ ...answer, schema, example }, 'output') }),
    ...(schema === undefined && isProblem && { content: PROBLEM_CONTENT }),
  }
}

const problem = (name: string) => ({ $ref: `#/components/responses/${name}` })

function toAnswers({ neverInvalid, query, body, scope, path, answers }: Operation) {
  const hasInput = neverInvalid !== true && (query !== undefined || body !== undefined)
  return {
    ...(hasInput && { 422: problem('Invalid') }),
    ...(scope !== null && {
      401: problem('Unauthenticated'),
      403: problem('Forbidden'),
      429: problem('TooMany'),
    }),
    ...(path.includes('{') && { 404: problem('NotFound') }),
    ...Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [
        status,
        toAnswer(answer, Number(status) >= 400),
      ]),
    ),
  }
}

function toParameters({ path, query, headers = [] }: Operation) {
  const inPath = parameterNames(path).map((name) => {
    const { schema, description, example } = PARAMETERS[name]
    const form = toJsonSchema(schema, 'output')
    return { name, in: 'path' as const, required: true, description, schema: form, example }
  })
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description = '', ...form } = toJsonSchema(schema, 'output')
    return {
      name,
      in: 'query' as const,
      required: false,
      description: String(description),
      schema: form,
    }
  })
  const inHeader = headers.map(({ name, description, example, isRequired = false }) => {
    const text = { schema: { type: 'string' as const } }
    return { name, in: 'header' as const, required: isRequired, description, example, ...text }
  })
  return [...inPath, ...inQuery, ...inHeader]
}

/** Returns an id such as `publish-the-draft`, for links and generated clients. */
export function operationId({ id, summary }: Operation): string {
  return id ?? summary.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

/** Schemas are passed as zod's JSON Schemas: the library would convert them differently and read bodies without limits (json-body.ts). */
export function toRoute(declared: Operation) {
  const { method, path, group, summary, description, scope, body } = declared
  const parameters = toParameters(declared)
  return createRoute({
    method: method.toLowerCase() as Lowercase<Operation['method']>,
    path,
    operationId: operationId(declared),
    tags: [group],
    summary,
    ...(description && { description }),
    ...(scope === null ? { security: [] } : { security: [{ key: [] }], 'x-scope': scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { request: { body: { required: true, content: toContent(body, 'input') } } }),
    responses: toAnswers(declared),
  })
}
