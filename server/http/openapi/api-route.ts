// One route of the HTTP interface, as handlers are held to it and the OpenAPI document tells it (specs/config-as-code.md).
// A schema stands here or in packages/wire, and nowhere else.
import { PromptKey, VersionNumber } from '@signalbox/wire'
import { z } from 'zod'
import type { KeyScopeName } from '@/server/platform/auth/scope.ts'

export interface ApiHeader {
  readonly name: string
  readonly description: string
  readonly example: string
  readonly isRequired?: boolean
}

export interface ApiBody {
  readonly schema: z.ZodType
  readonly example: unknown
  /** Absent: `application/json`. */
  readonly contentType?: string
  /** As sent. Absent: 1 MiB. */
  readonly maxBytes?: number
}

export interface ApiAnswer {
  readonly description: string
  /** Absent: no body. */
  readonly schema?: z.ZodType
  readonly example?: unknown
  readonly contentType?: string
  readonly headers?: readonly ApiHeader[]
}

export type ApiGroup = 'Configs' | 'Releases' | 'Transfer' | 'Runtimes' | 'Server'

export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Parameters stand in braces and are explained in PARAMETERS. */
  readonly path: string
  readonly group: ApiGroup
  /** A few words; unique. */
  readonly summary: string
  readonly description?: string
  /** Scope of the API key; null: open to everybody. */
  readonly scope: KeyScopeName | null
  readonly query?: z.ZodObject
  readonly headers?: readonly ApiHeader[]
  readonly body?: ApiBody
  /** No query and no body is answered 422: words that are not known are ignored, lines are judged one by one. */
  readonly neverInvalid?: true
  /** By status; what every route may answer besides is added by the document. */
  readonly answers: Readonly<Record<number, ApiAnswer>>
}

/** Declares a route without widening it, so that a handler knows its scope, query and body. */
export function route<const Route extends ApiRoute>(declared: Route): Route {
  return declared
}

const PathNs = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,119}$/, 'Use the namespace with "~" for "/".')

export const PARAMETERS = {
  ns: {
    schema: PathNs,
    description: 'Namespace of the prompt, with `~` for `/`.',
    example: 'support~triage',
  },
  key: { schema: PromptKey, description: 'Name of the prompt.', example: 'answer' },
  number: { schema: z.coerce.number().pipe(VersionNumber), description: 'Version.', example: 3 },
  id: {
    schema: z.string().regex(/^[A-Za-z0-9_]{1,64}$/),
    description: 'Id of the release.',
    example: 'rel_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  },
} as const

export type ParameterName = keyof typeof PARAMETERS

/** Names in braces, in order. */
export function parametersOf(path: string): readonly ParameterName[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    if (Object.hasOwn(PARAMETERS, name)) return name as ParameterName
    throw new Error(`Explain the parameter "${name}" of ${path} in PARAMETERS.`)
  })
}

export const ExportQuery = z.object({
  cases: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      "With pinned cases and the recorded events that they rest on: for keys with the scope publish, those of the key's environment.",
    ),
})

/** Rows of a page, and where it starts. */
export const PageQuery = z.object({
  after: z.string().max(400).optional().describe('`next` of the page before.'),
  limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(50).describe('Rows at most.'),
})

export const EXAMPLE_DIGEST = `sha256:${'4f'.repeat(32)}`
