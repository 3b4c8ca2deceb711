// The lists of the console for programs. Fields, filters and orders come from the declaration of each list (specs/lists.md).
import { VersionNumber } from '@signalbox/wire'
import { z } from 'zod'
import { alertList } from '@/server/alerts/alert-list.sql.ts'
import { sealedAuditLogList } from '@/server/audit-log/audit-log.sql.ts'
import { denialList } from '@/server/explanations/denial-list.sql.ts'
import { stopList } from '@/server/explanations/stop-list.sql.ts'
import { deliveryList } from '@/server/feedback/delivery-list.sql.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type {
  FilterOf,
  List,
  Param,
  PromptName,
  RowOf,
} from '@/server/platform/list/define-list.ts'
import { parseInstant, readFilterText } from '@/server/platform/list/filter-grammar.ts'
import type { SqlList } from '@/server/platform/sql/sql-list.ts'
import { orderInput } from '@/server/platform/trpc/list-input.ts'
import { runtimeList } from '@/server/runtimes/runtime-pages.sql.ts'
import { sessionList } from '@/server/sessions/session-filter.sql.ts'
import { managed } from './manage-gate.ts'
import { type Endpoint, PageQuery } from './operation.ts'
import { jsonResponse } from './problem.ts'

interface Listing {
  /** Last part of the address, and the plural of `one`. */
  readonly many: string
  readonly one: string
  readonly scope: 'read' | 'sessions:read' | 'audit:read'
  readonly holds: string
  /** Parameters that keys do not have. The environment is always that of the key. */
  readonly without?: readonly string[]
}

const EXAMPLE_AT = 1_795_000_000_000

type Column = List['columns'][string]

interface Field {
  readonly name: string
  readonly column: string
  readonly schema: z.ZodType
  readonly example: unknown
}

function typeSchema({ kind, values }: Column['type']): Pick<Field, 'schema' | 'example'> {
  switch (kind) {
    case 'text':
      return values === undefined
        ? { schema: z.string(), example: '…' }
        : { schema: z.enum(values), example: values[0] }
    case 'number':
      return { schema: z.number(), example: 1 }
    case 'instant':
      return { schema: z.int().describe('Epoch milliseconds.'), example: EXAMPLE_AT }
    case 'json':
      return { schema: z.unknown(), example: {} }
    default:
      return kind satisfies never
  }
}

function listFields({ columns }: List): readonly Field[] {
  return Object.entries(columns).flatMap(([column, { type, export: name, label, hint }]) => {
    if (name === undefined) return []
    const { schema, example } = typeSchema(type)
    const whole = type.isNullable === true ? schema.nullable() : schema
    const words = hint ?? label
    const described = words === undefined || type.kind === 'instant' ? whole : whole.describe(words)
    return [{ name, column, schema: described, example }]
  })
}

function rowWriter<L extends List>(fields: readonly Field[]) {
  return (row: RowOf<L>): object => {
    const values: Readonly<Record<string, unknown>> = row
    return Object.fromEntries(fields.map(({ name, column }) => [name, values[column]]))
  }
}

const TIME = 'ISO 8601 in UTC, or epoch milliseconds.'

function readTime(field: string, text: string): number {
  const at = /^\d{1,15}$/.test(text) ? Number(text) : parseInstant(text)
  if (at !== null && at <= Date.UTC(9999, 0, 1)) return at
  throw new ServiceError('invalid', `Use ${TIME}`, field)
}

function readPrompt(field: string, text: string): PromptName {
  const slash = text.lastIndexOf('/')
  if (slash > 0) return { ns: text.slice(0, slash), key: text.slice(slash + 1) }
  throw new ServiceError('invalid', 'Write the prompt as ns/key.', field)
}

interface QueryPart {
  readonly schema: z.ZodType
  readonly read: (field: string, value: string) => unknown
}

const asIs = (_field: string, value: string) => value

/** Null: no parameter, because the key decides. */
function queryPart(param: Param): QueryPart | null {
  switch (param.kind) {
    case 'environment':
      return null
    case 'text':
      return { schema: z.string().max(param.most), read: asIs }
    case 'choice':
      return { schema: z.enum(param.values), read: asIs }
    case 'flag':
      return { schema: z.enum(['true', 'false']), read: (_field, value) => value === 'true' }
    case 'prompt':
      return { schema: z.string().max(401).describe('As `ns/key`.'), read: readPrompt }
    case 'version':
      return {
        schema: z.coerce.number().pipe(VersionNumber),
        read: (_field, value) => Number(value),
      }
    default:
      return param satisfies never
  }
}

function queryParts({ params }: List, without: readonly string[]): ReadonlyMap<string, QueryPart> {
  const parts = Object.entries(params).flatMap(([name, param]) => {
    const part = without.includes(name) ? null : queryPart(param)
    return part === null ? [] : [[name, part] as const]
  })
  const time = (words: string) => z.string().max(40).describe(`${words} ${TIME}`)
  return new Map([
    ...parts,
    ['since', { schema: time('Earliest time.'), read: readTime }],
    ['until', { schema: time('Time before which rows are.'), read: readTime }],
  ])
}

function readTerms({ grammar }: List, text: string) {
  const { terms, problem } = readFilterText(text, grammar)
  if (problem !== null) throw new ServiceError('invalid', problem, 'filter')
  return terms
}

/** A project-wide list has no such parameter, and its rows belong to no environment. */
function limitToKey(list: List, { environment }: KeyScope): object {
  return Object.hasOwn(list.params, 'environment') ? { environment } : {}
}

function listEndpoints<L extends List>(
  { list, page, find }: SqlList<L>,
  { many, one, scope: needed, holds, without = [] }: Listing,
): readonly Endpoint[] {
  const fields = listFields(list)
  const write = rowWriter<L>(fields)
  const row = z.object(Object.fromEntries(fields.map(({ name, schema }) => [name, schema])))
  const example = Object.fromEntries(fields.map((field) => [field.name, field.example]))
  const parts = queryParts(list, without)
  const isOwn = (scope: KeyScope): FilterOf<L> =>
    // The only key is a parameter of the list.
    limitToKey(list, scope) as FilterOf<L>
  const query = PageQuery.extend({
    ...Object.fromEntries([...parts].map(([name, { schema }]) => [name, schema.optional()])),
    filter: z.string().max(2_000).default('').describe('Filter text, as in the console.'),
    order: orderInput(list).describe('Order of the rows.'),
  })
  const path: `/api/manage/v1/${string}` = `/api/manage/v1/${many}`
  const [article, noun] = [/^[aeiou]/.test(one) ? 'an' : 'a', one.replaceAll('-', ' ')]
  return [
    managed(
      {
        method: 'GET',
        path,
        group: 'Records',
        summary: `List ${many.replaceAll('-', ' ')}`,
        description: holds,
        scope: needed,
        query,
        answers: {
          200: {
            description: 'A page.',
            schema: z.object({ rows: z.array(row), next: z.string().nullable() }),
            example: { rows: [example], next: null },
          },
        },
      },
      async ({ scope, query: { after, limit, order, filter, ...asked } }) => {
        const set = Object.entries(asked).flatMap(([name, value]) => {
          const part = parts.get(name)
          return part === undefined || value === undefined
            ? []
            : [[name, part.read(name, String(value))]]
        })
        const given = { ...Object.fromEntries(set), terms: readTerms(list, filter) }
        const { rows, nextCursor } = await page(scope, {
          // The query has the parameters of the list, each read as its kind demands.
          filter: { ...given, ...isOwn(scope) } as FilterOf<L>,
          order,
          cursor: after,
          limit,
          mayBeOlder: true,
        })
        return jsonResponse({ rows: rows.map(write), next: nextCursor })
      },
    ),
    managed(
      {
        method: 'GET',
        path: `${path}/{id}`,
        group: 'Records',
        summary: `Read ${article} ${noun}`,
        scope: needed,
        answers: { 200: { description: `The ${noun}.`, schema: row, example } },
      },
      async ({ scope, parameters: { id } }) => {
        const found = await find(scope, isOwn(scope), id)
        if (found === null) throw new ServiceError('not_found', `There is no ${noun} ${id}.`)
        return jsonResponse(write(found))
      },
    ),
  ]
}

export const LIST_ENDPOINTS: readonly Endpoint[] = [
  ...listEndpoints(sessionList, {
    many: 'sessions',
    one: 'session',
    scope: 'sessions:read',
    holds:
      'Lists agent runs. `since` and `until` limit the time at which a session started. Those of the demo are left out unless `filter` has `demo:shown`.',
    without: ['madeBy'],
  }),
  ...listEndpoints(stopList, {
    many: 'stops',
    one: 'stop',
    scope: 'sessions:read',
    holds:
      'Lists attempts to stop. Final verifications are listed if the filter names `via`. Those of the demo are left out unless `filter` has `demo:shown`.',
  }),
  ...listEndpoints(denialList, {
    many: 'decisions',
    one: 'decision',
    scope: 'sessions:read',
    holds:
      'Lists calls that were denied or could not be evaluated. The events of a session have all decisions. Those of the demo are left out unless `filter` has `demo:shown`.',
  }),
  ...listEndpoints(deliveryList, {
    many: 'feedback',
    one: 'delivery',
    scope: 'sessions:read',
    holds:
      'Lists feedback that agents received. Those of the demo are left out unless `filter` has `demo:shown`.',
  }),
  ...listEndpoints(alertList, {
    many: 'alerts',
    one: 'alert',
    scope: 'sessions:read',
    holds: 'Lists alerts of the key’s environment.',
  }),
  ...listEndpoints(runtimeList, {
    many: 'runtimes',
    one: 'runtime',
    scope: 'read',
    holds: 'Lists the processes of agents that were seen in the last seven days.',
  }),
  ...listEndpoints(sealedAuditLogList, {
    many: 'audit-log',
    one: 'audit-entry',
    scope: 'audit:read',
    holds: 'Lists who changed what in the project, with the place of each entry in the hash chain.',
  }),
]
