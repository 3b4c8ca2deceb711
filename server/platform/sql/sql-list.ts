// A list as SQL: what its columns, parameters, filter fields and orders are in the database, and its keyset pages. The parts are checked
// against the list by type.
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
} from '../list/define-list.ts'
import { type FilterFields, filterTerms } from './filter-terms.ts'
import { formatCursor, parseKeyset } from './keyset.ts'
import { readRows } from './rows.ts'

type Bind = (value: unknown) => string

/** A list of one project. */
interface Scope {
  readonly projectId: AuthorizedProjectId
}

type Condition<L extends List, Value> = (value: Value, bind: Bind, filter: FilterOf<L>) => string

/** Fields of the filter text, exactly those of the list's grammar. */
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

export interface ListSql<L extends List> {
  /** The listed table with what filters need; its project is `$1`. */
  readonly tables: string
  /** Alias of the listed table. */
  readonly row: string
  /** Joins that columns need beyond the listed row. Present: the page is read first, then what its rows show. */
  readonly joins?: string
  readonly columns: { readonly [Name in ColumnName<L>]: string }
  readonly params: {
    readonly [Name in keyof L['params']]: Condition<L, ParamValue<L['params'][Name]>>
  }
  readonly fields: FieldsOf<L['grammar']>
  /** The column that an order goes by, as its index holds it. */
  readonly orders: { readonly [Name in OrderName<L>]: string }
  /** Condition for rows that an order leaves out. Absent: it leaves out none. */
  readonly only?: { readonly [Name in OrderName<L>]?: string }
  /** The instant that `since` and `until` are about. */
  readonly range: string
  /** Condition beside the filter. */
  readonly also?: (filter: FilterOf<L>) => string
}

export interface Where {
  readonly text: string
  readonly values: unknown[]
  /** Adds a value and names its place. */
  readonly bind: Bind
}

export interface PageRequest<L extends List> {
  readonly filter: FilterOf<L>
  readonly order?: OrderName<L> | undefined
  /** `nextCursor` of the page before; absent, null or invalid: from the top. */
  readonly cursor?: string | null | undefined
  readonly limit: number
}

export interface SqlList<L extends List> {
  readonly list: L
  /** The list after SELECT. */
  readonly columns: string
  /** Condition for each part of the filter that is set, by the part's name. */
  readonly parts: (filter: FilterOf<L>, bind: Bind) => ReadonlyMap<string, string>
  /** Every condition. For statements whose `$1` is the project. */
  readonly terms: (filter: FilterOf<L>, bind: Bind) => readonly string[]
  readonly where: (projectId: AuthorizedProjectId, filter: FilterOf<L>) => Where
  readonly page: (scope: Scope, request: PageRequest<L>) => Promise<ListPage<RowOf<L>>>
}

const toInstant = (place: string): string => `to_timestamp(${place}::float8 / 1000)`
const toCount = (place: string): string => `${place}::int`

function findSqlOrder({ name, orders }: List, order: string): Order {
  const found = orders[order]
  if (found === undefined) throw new TypeError(`${order} is no order of ${name}.`)
  return found
}

/** Selects each column under its name. */
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

/** `read`: the rows of a page and one more where there are more; `column`: a number or an instant. */
function toListPage<Row extends object>(
  read: readonly Row[],
  { limit, column }: { readonly limit: number; readonly column: string },
): ListPage<Row> {
  const rows = read.slice(0, limit)
  const last = read.length > limit ? rows.at(-1) : undefined
  if (last === undefined) return { rows, nextCursor: null }
  const values = new Map<string, unknown>(Object.entries(last))
  const [at, id] = [values.get(column), values.get('id')]
  if (typeof at !== 'number' || typeof id !== 'string') {
    throw new TypeError(`${column} is no column to order by.`)
  }
  return { rows, nextCursor: formatCursor({ at, id }) }
}

export function sqlList<L extends List>(list: L, sql: ListSql<L>): SqlList<L> {
  // Their mapped type ties each condition to the value of its own parameter; a loop over the names cannot keep that.
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
  // A statement may name the only table otherwise.
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
  const page = async (
    { projectId }: Scope,
    { filter, order: asked, cursor, limit }: PageRequest<L>,
  ): Promise<ListPage<RowOf<L>>> => {
    const name: OrderName<L> = asked ?? list.defaultOrder
    const { text, values, bind } = where(projectId, filter)
    const { column, direction } = findSqlOrder(list, name)
    const by = sql.orders[name]
    const only = sql.only?.[name] ?? 'true'
    const after = typeof cursor === 'string' ? parseKeyset(cursor) : null
    const behind = direction === 'desc' ? '<' : '>'
    const toValue = list.columns[column]?.type.kind === 'instant' ? toInstant : toCount
    const rest =
      after === null
        ? ''
        : `AND (${by}, ${sql.row}.id) ${behind} (${toValue(bind(after.at))}, ${bind(after.id)})`
    // By the column itself: an alias would be the number that is selected, which no index holds.
    const sorted = `ORDER BY ${by} ${direction}, ${sql.row}.id ${direction}`
    const found = `FROM ${sql.tables} WHERE ${text} AND ${only} ${rest} ${sorted} LIMIT ${bind(limit + 1)}`
    // A filter that few rows pass reads the others without looking anything up for them.
    const statement =
      sql.joins === undefined
        ? `SELECT ${columns} ${found}`
        : `SELECT ${columns} FROM (SELECT ${sql.row}.* ${found}) AS ${sql.row} ${sql.joins} ${sorted}`
    return toListPage(await readRows<RowOf<L>>(statement, values), { limit, column })
  }
  return { list, columns, parts, terms, where, page }
}
