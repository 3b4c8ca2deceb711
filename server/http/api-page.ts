import { ENDPOINTS, openapiDocument } from './api.ts'
import { type Operation as Declared, operationId } from './operation.ts'

/** The part of a JSON Schema that the page reads. */
export interface ShownSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, ShownSchema>>
  readonly required?: readonly string[]
  readonly items?: ShownSchema
  readonly anyOf?: readonly ShownSchema[]
  readonly oneOf?: readonly ShownSchema[]
  readonly additionalProperties?: ShownSchema | boolean
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

export interface ShownParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly schema: ShownSchema
  readonly example?: unknown
}

export interface ShownContent {
  readonly type: string
  readonly schema: ShownSchema
  /** Example as sent: formatted JSON, or the text itself. */
  readonly example: string | null
}

export interface ShownAnswer {
  readonly status: string
  readonly description: string
  readonly headers: readonly string[]
  readonly content: ShownContent | null
}

export interface ShownRoute {
  readonly id: string
  readonly method: Declared['method']
  readonly path: string
  readonly examplePath: string
  readonly group: Declared['group']
  readonly summary: string
  readonly description: string
  readonly scope: Declared['scope']
  readonly parameters: readonly ShownParameter[]
  readonly body: ShownContent | null
  readonly answers: readonly ShownAnswer[]
}

interface Content {
  readonly [type: string]: { readonly schema?: ShownSchema; readonly example?: unknown }
}

interface Answer {
  readonly $ref?: string
  readonly description?: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Content
}

interface Operation {
  readonly parameters?: readonly ShownParameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
}

/** Result of openapiDocument, whose tests check its form. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Readonly<Record<string, Answer>> }
}

function toShownContent(content: Content | undefined): ShownContent | null {
  const [entry] = Object.entries(content ?? {})
  if (entry === undefined) return null
  const [type, { schema = {}, example }] = entry
  // All problems have one form, which the page describes once.
  if (schema !== undefined && '$ref' in schema) return null
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return { type, schema, example: text ?? null }
}

function toShownAnswer(document: Document, [status, told]: readonly [string, Answer]): ShownAnswer {
  const name = told.$ref?.split('/').at(-1)
  const answer = name === undefined ? told : (document.components.responses[name] ?? {})
  return {
    status,
    description: answer.description ?? '',
    headers: Object.keys(answer.headers ?? {}),
    content: toShownContent(answer.content),
  }
}

function buildExamplePath(path: string, parameters: readonly ShownParameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((parameter) => parameter.name === name)?.example),
  )
}

export function shownRoutes(): readonly ShownRoute[] {
  const document = openapiDocument() as unknown as Document
  return ENDPOINTS.map(({ operation: route }): ShownRoute => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()]
    const { parameters = [], requestBody, responses = {} } = operation ?? {}
    return {
      id: operationId(route),
      method: route.method,
      path: route.path,
      examplePath: buildExamplePath(route.path, parameters),
      group: route.group,
      summary: route.summary,
      description: route.description ?? '',
      scope: route.scope,
      parameters,
      body: toShownContent(requestBody?.content),
      answers: Object.entries(responses).map((answer) => toShownAnswer(document, answer)),
    }
  })
}
