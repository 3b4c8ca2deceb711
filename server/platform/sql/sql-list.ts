import 'server-only'
import type { AuthorizedProjectId } from '../ids.ts'
import type {
  ColumnName,
  CommonFilter,
  FilterOf,
  List,
  ListPage,
  Order,
  OrderName,
  ParamValue,
  RowOf,
  Type,
} from '../list/define-list.ts'
import { type FilterFields, filterTerms } from './filter-terms.ts'
import { formatRowPlace, parseRowPlace, refuseCursor } from './keyset.ts'
import { readRows, readStandbyRows } from './rows.ts'

type Bind = (value: unknown) => string
type Kind = Type<unknown>['kind']

interface Scope {
  readonly projectId: AuthorizedProjectId
}

type Condition<L extends List, Value> = (value: Value, bind: Bind, filter: FilterOf<L>) => string

type FieldsOf<G> = G extends {
  readonly texts: readonly (infer Text)[]
  readonly numbers: infer Numbers
  readonly choices?: infer Choices
}
  ? Pick<FilterFields, 'row'> & {
      readonly texts: { readonly [Name in Text & string]: string }
      readonly choices: {
        readonly [Name in keyof NonNullable<Choices>]: (value: string, bind: Bind) => string
      }
      readonly numbers: { readonly [Name in keyof Numbers]: string }
    }
  : never

type OrderSql<O> = O extends { readonly thenBy: readonly unknown[] } ? readonly string[] : string

export interface ListSql<L extends List> {
  /** The listed table, with joins that filters need; its project is `$1`. */
  readonly tables: string
  readonly row: string
  /** WITH queries that `tables` and `joins` read. */
  readonly queries?: (filter: FilterOf<L>, bind: Bind) => string
  /** Joins that columns need beyond the listed row. Present: the page is selected first, and then joined. */
  readonly joins?: string
  readonly columns: { readonly [Name in ColumnName<L>]: string }
  readonly params: {
    readonly [Name in keyof L['params']]: Condition<L, ParamValue<L['params'][Name]>>
  }
  readonly fields: FieldsOf<L['grammar']>
  readonly orders: { readonly [Name in OrderName<L>]: OrderSql<L['orders'][Name]> }
  /** Condition for the rows that an order includes. Absent: all. */
  readonly only?: { readonly [Name in OrderName<L>]?: string }
  /** Instant that `since` and `until` limit. */
  readonly range: string
  readonly also?: (filter: FilterOf<L>) => string
}

export interface Where {
  readonly text: string
  readonly values: unknown[]
  readonly bind: Bind
}

export interface PageRequest<L extends List> {
  readonly filter: FilterOf<L>
  readonly order?: OrderName<L> | undefined
  /** `nextCursor` of the previous page; absent or null: from the top. Any other is refused with `invalid`. */
  readonly cursor?: string | null | undefined
  readonly limit: number
  /** True: rows may be older, so a standby may return them. Absent: false. */
  readonly mayBeOlder?: boolean
}

export interface SqlList<L extends List> {
  readonly list: L
  readonly columns: string
  readonly parts: (filter: FilterOf<L>, bind: Bind) => ReadonlyMap<string, string>
  /** All conditions, for statements whose `$1` is the project. */
  readonly terms: (filter: FilterOf<L>, bind: Bind) => readonly string[]
  readonly where: (projectId: AuthorizedProjectId, filter: FilterOf<L>) => Where
  readonly count: (scope: Scope, filter: FilterOf<L>) => Promise<number>
  /** Null: the project has no such row, or it does not match the filter. Finds rows that pages omit by default. */
  readonly find: (scope: Scope, filter: FilterOf<L>, id: string) => Promise<RowOf<L> | null>
  readonly page: (scope: Scope, request: PageRequest<L>) => Promise<ListPage<RowOf<L>>>
}

const toInstant = (place: string): string => `to_timestamp(${place}::float8 / 1000)`

function toOrdered(kind: Kind, place: string): string {
  if (kind === 'instant') return toInstant(place)
  return kind === 'number' ? `${place}::bigint` : `${place}::text`
}

function findSqlOrder({ name, orders }: List, order: string): Order {
  const found = orders[order]
  if (found === undefined) throw new TypeError(`${order} is no order of ${name}.`)
  return found
}

export function selectColumns(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(', ')
}

function rangeTerm(column: string, { since, until }: CommonFilter, bind: Bind): string | null {
  const from = since === undefined ? [] : [`${column} >= ${toInstant(bind(since))}`]
  const to = until === undefined ? [] : [`${column} < ${toInstant(bind(until))}`]
  const terms = [...from, ...to]
  return terms.length === 0 ? null : terms.join(' AND ')
}

/** `read`: the rows of a page, and one more if there are more. `columns`: number, time or text columns that order them. */
function toListPage<Row extends object>(
  read: readonly Row[],
  { limit, columns }: { readonly limit: number; readonly columns: readonly string[] },
): ListPage<Row> {
  const rows = read.slice(0, limit)
  const last = read.length > limit ? rows.at(-1) : undefined
  if (last === undefined) return { rows, nextCursor: null }
  const values = new Map<string, unknown>(Object.entries(last))
  const place = columns.map((column) => {
    const value = values.get(column)
    if (typeof value === 'number' || typeof value === 'string') return value
    throw new TypeError(`${column} is no column to order by.`)
  })
  return { rows, nextCursor: formatRowPlace(place) }
}

function readerFor(mayBeOlder = false): typeof readRows {
  return mayBeOlder ? readStandbyRows : readRows
}

export function sqlList<L extends List>(list: L, sql: ListSql<L>): SqlList<L> {
  // Their mapped type ties each condition to the value of its parameter; a loop over the names loses that.
  const conditions = sql.params as Readonly<Record<string, Condition<L, unknown>>>
  const columns = selectColumns(sql.columns)
  const parts = (filter: FilterOf<L>, bind: Bind): ReadonlyMap<string, string> => {
    const values = new Map<string, unknown>(Object.entries(filter))
    const found = new Map<string, string>()
    for (const [name, condition] of Object.entries(conditions)) {
      const value = values.get(name)
      if (value !== undefined && value !== null) found.set(name, condition(value, bind, filter))
    }
    const terms = filterTerms(filter.terms ?? [], sql.fields, bind)
    if (terms.length > 0) found.set('terms', terms.join(' AND '))
    const range = rangeTerm(sql.range, filter, bind)
    if (range !== null) found.set('since', range)
    return found
  }
  // A statement may refer to its only table without an alias.
  const own = sql.row === sql.tables ? '' : `${sql.row}.`
  const terms = (filter: FilterOf<L>, bind: Bind): readonly string[] => [
    `${own}project_id = $1`,
    ...(sql.also === undefined ? [] : [sql.also(filter)]),
    ...[...parts(filter, bind).values()].map((condition) => `(${condition})`),
  ]
  const where = (projectId: AuthorizedProjectId, filter: FilterOf<L>): Where => {
    const values: unknown[] = [projectId]
    const bind: Bind = (value) => `$${values.push(value)}`
    return { text: terms(filter, bind).join(' AND '), values, bind }
  }
  const withQueries = (statement: string, filter: FilterOf<L>, bind: Bind): string =>
    sql.queries === undefined ? statement : `WITH ${sql.queries(filter, bind)} ${statement}`
  const count = async ({ projectId }: Scope, filter: FilterOf<L>): Promise<number> => {
    const { text, values, bind } = where(projectId, filter)
    const statement = `SELECT count(*)::int AS count FROM ${sql.tables} WHERE ${text}`
    const rows = await readRows<{ readonly count: number }>(
      withQueries(statement, filter, bind),
      values,
    )
    return rows[0]?.count ?? 0
  }
  const select = (found: string, sorted: string): string =>
    sql.joins === undefined
      ? `SELECT ${columns} ${found}`
      : `SELECT ${columns} FROM (SELECT ${sql.row}.* ${found}) AS ${sql.row} ${sql.joins} ${sorted}`
  const find = async (
    { projectId }: Scope,
    filter: FilterOf<L>,
    id: string,
  ): Promise<RowOf<L> | null> => {
    const values: unknown[] = [projectId]
    const bind: Bind = (value) => `$${values.push(value)}`
    const set = [...parts(filter, bind).values()].map((condition) => ` AND (${condition})`)
    const found = `FROM ${sql.tables} WHERE ${own}project_id = $1 AND ${sql.row}.id = ${bind(id)}${set.join('')}`
    const [row] = await readRows<RowOf<L>>(withQueries(select(found, ''), filter, bind), values)
    return row ?? null
  }
  const page = async (
    { projectId }: Scope,
    { filter, order: asked, cursor, limit, mayBeOlder }: PageRequest<L>,
  ): Promise<ListPage<RowOf<L>>> => {
    const name: OrderName<L> = asked ?? list.defaultOrder
    const { text, values, bind } = where(projectId, filter)
    const { column, thenBy = [], isUnique = false, direction } = findSqlOrder(list, name)
    const placing = [column, ...thenBy, ...(isUnique ? [] : ['id'])]
    const kinds = placing.map((one): Kind => list.columns[one]?.type.kind ?? 'text')
    const by = [sql.orders[name], isUnique ? [] : `${sql.row}.id`].flat()
    const only = sql.only?.[name] ?? 'true'
    const after =
      typeof cursor === 'string' ? (parseRowPlace(cursor, kinds) ?? refuseCursor()) : null
    const behind = direction === 'desc' ? '<' : '>'
    const place = after?.map((value, at) => toOrdered(kinds[at] ?? 'text', bind(value)))
    const rest = place === undefined ? '' : `AND (${by.join(', ')}) ${behind} (${place.join(', ')})`
    // Orders by the column itself, because the alias is the selected number, which no index contains.
    const sorted = `ORDER BY ${by.map((one) => `${one} ${direction}`).join(', ')}`
    const found = `FROM ${sql.tables} WHERE ${text} AND ${only} ${rest} ${sorted} LIMIT ${bind(limit + 1)}`
    // The filter is applied before the joins, so that rows that it excludes cost no look-ups.
    const statement = withQueries(select(found, sorted), filter, bind)
    const rows = await readerFor(mayBeOlder)<RowOf<L>>(statement, values)
    return toListPage(rows, { limit, columns: placing })
  }
  return { list, columns, parts, terms, where, count, find, page }
}
