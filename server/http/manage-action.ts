// Operations on the use cases of the console: its inputs with snake_case names, run by a key as an admin of its project.
import { parseForm } from '@signalbox/wire'
import { z } from 'zod'
import { mintActingScope, type ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { managed } from './manage-gate.ts'
import type { Endpoint, Operation } from './operation.ts'
import { jsonResponse, refuseForm } from './problem.ts'

const toSnakeName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const toCamelName = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Renames the fields of objects at every depth. */
function rename(value: unknown, toName: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => rename(each, toName))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [toName(name), rename(each, toName)]),
  )
}

const toPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${toSnakeName(String(part))}`).join('')

interface Action<Input extends z.ZodObject>
  extends Pick<Operation, 'method' | 'path' | 'summary' | 'description' | 'id'> {
  /** Input of the console's procedure. */
  readonly input: Input
  /** The input with conditions across its fields. Absent: there are none. */
  readonly whole?: z.ZodType<z.output<Input>>
  /** Fields of the input that the address names, by parameter. Absent: none. */
  readonly inPath?: Readonly<Record<string, string>>
  /** Body; absent: the request has none. */
  readonly example?: object
  readonly refusals?: Operation['answers']
  /** Absent: 204 without a body. */
  readonly answer?: {
    readonly status: 200 | 201
    readonly description: string
    readonly schema: z.ZodObject
    readonly example: object
  }
  readonly run: (actor: ProjectScope, input: z.output<Input>) => Promise<unknown>
}

function toBodySchema({ shape }: z.ZodObject, without: readonly string[]): z.ZodObject {
  const fields = Object.entries(shape).filter(([name]) => !without.includes(name))
  return z.strictObject(Object.fromEntries(fields.map(([name, one]) => [toSnakeName(name), one])))
}

function parseInput<Input>(schema: z.ZodType<Input>, value: unknown): Input {
  const parsed = parseForm(schema, value)
  return parsed.ok ? parsed.value : refuseForm('body', parsed.problems, toPointer)
}

async function nameFields<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.field === undefined) throw error
    throw new ServiceError(error.code, error.message, toPointer(error.field.split('.')))
  }
}

export function action<Input extends z.ZodObject>(declared: Action<Input>): Endpoint {
  const { input, inPath = {}, example, refusals, answer, run, ...operation } = declared
  const { whole = input, ...described } = operation
  const { status = 204, ...answered } = answer ?? { description: 'Done.' }
  const body = example && {
    schema: toBodySchema(input, Object.values(inPath)),
    example,
  }
  return managed(
    {
      ...described,
      group: 'Project',
      scope: 'admin',
      ...(body && { body }),
      answers: { ...refusals, [status]: answered },
    },
    async ({ scope, parameters, body: sent }) => {
      const actor = mintActingScope(scope)
      const address: Readonly<Record<string, unknown>> = parameters
      const named = Object.entries(inPath).map(([name, field]) => [field, address[name]])
      const given = { ...Object.fromEntries(named), ...Object(rename(sent ?? {}, toCamelName)) }
      // Parsed by the schema whose output `run` takes; those without conditions are the input itself.
      const parsed = parseInput(whole as z.ZodType<z.output<Input>>, given)
      const result = await nameFields(() => run(actor, parsed))
      if (answer === undefined) return new Response(null, { status })
      return jsonResponse(answer.schema.parse(rename(result, toSnakeName)), { status })
    },
  )
}

/** A list that fits on one page. */
export function rowsAnswer(row: z.ZodObject, example: object) {
  return {
    status: 200,
    description: 'All rows.',
    schema: z.object({ rows: z.array(row), next: z.null() }),
    example: { rows: [example], next: null },
  } as const
}

export const toRows = (rows: readonly unknown[]) => ({ rows, next: null })
