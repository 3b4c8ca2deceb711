// A statement takes one array per column, for any number of rows.
import 'server-only'

interface Column<Value> {
  /** SQL of the array in parameter `$n`. */
  readonly array: (parameter: number) => string
  /** SQL of the stored value, from one element of that array. */
  readonly toStored: (element: string) => string
  /** SQL of the value in the form that `send` takes, from the stored column. */
  readonly toValue: (column: string) => string
  readonly send: (values: readonly Value[]) => unknown
}

const unchanged = (name: string): string => name
const asText = (name: string): string => `${name}::text`

function column<Value>(type: string, rest: Partial<Column<Value>> = {}): Column<Value> {
  return {
    array: (parameter) => `$${parameter}::${type}[]`,
    toStored: unchanged,
    toValue: unchanged,
    send: (values) => values,
    ...rest,
  }
}

type Text = string | null
type Numeric = number | null

export function text<Value extends Text = string>(): Column<Value> {
  return column('text')
}

/** Texts of a PostgreSQL type whose text form is read and written unchanged: json, uuid, date, an enum. */
export function textAs<Value extends Text = string>(type: string): Column<Value> {
  return column(type, { toValue: asText })
}

/** Texts without line breaks, stored as text[]. */
export function lines(): Column<readonly string[]> {
  return column('text', {
    toStored: (element) => `string_to_array(${element}, chr(10))`,
    send: (values) => values.map((each) => each.join('\n')),
  })
}

export function bool(): Column<boolean> {
  return column('bool')
}

export function int<Value extends Numeric = number>(): Column<Value> {
  return column('int', { send: numberArray })
}

/** Epoch ms, stored as timestamptz. */
export function time<Value extends Numeric = number>(): Column<Value> {
  return column('float8', {
    toStored: (element) => `to_timestamp(${element} / 1000)`,
    toValue: (stored) => `(extract(epoch FROM ${stored}) * 1000)::float8`,
    send: numberArray,
  })
}

/** Writes PostgreSQL's text form of an array in one step; the driver builds it element by element. */
function numberArray(values: readonly Numeric[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

// The driver's array form escapes every text, which was a tenth of ingestion (2026-11-21). Packed columns are one text each, split in SQL.
// Separators cannot occur: JSON texts escape control characters, and other texts are cleaned here.
const SEPARATOR = '\u001E'
const NULL = '\u001F'

function packed<Value extends Text>(
  clean: (text: string) => string,
  toStored: Column<Value>['toStored'] = unchanged,
): Column<Value> {
  return column('text', {
    array: (parameter) => `string_to_array($${parameter}::text, chr(30), chr(31))`,
    toStored,
    send: (values) => values.map((value) => (value === null ? NULL : clean(value))).join(SEPARATOR),
  })
}

function withoutSeparators(value: string): string {
  if (!value.includes(SEPARATOR) && !value.includes(NULL)) return value
  return value.replaceAll(SEPARATOR, '\u{FFFD}').replaceAll(NULL, '\u{FFFD}')
}

/** Not for an empty batch. An empty text in a batch of one becomes null. */
export function packedText<Value extends Text = string>(): Column<Value> {
  return packed(withoutSeparators)
}

/** Like `packedText`, for ids, hashes and other texts without control characters. */
export function packedPlain<Value extends Text = string>(): Column<Value> {
  return packed(unchanged)
}

/** JSON texts. Not for an empty batch. */
export function packedJson(): Column<string> {
  return packed(unchanged, (element) => `${element}::json`)
}

function toColumnName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export interface BatchColumns<Row> {
  /** Column list, such as `id, session_id`. */
  readonly names: string
  /** Stored values from the elements of `source`: `n.id, to_timestamp(n.at / 1000)`. */
  readonly values: string
  /** For an UPDATE: `at = to_timestamp(n.at / 1000)`. */
  readonly assignments: string
  /** For a SELECT of the rows in the form that was sent: `(extract(epoch FROM at) * 1000)::float8 AS "at"`. */
  readonly selection: string
  /** The rows as table `n`. `first`: number of the first parameter. */
  readonly source: (first: number) => string
  readonly parameters: (rows: readonly Row[]) => readonly unknown[]
}

export type RowOf<Columns> = Columns extends BatchColumns<infer Row> ? Readonly<Row> : never

export function batchColumns<Row extends object>(
  columns: {
    readonly [Name in keyof Row]: Column<Row[Name]>
  },
): BatchColumns<Row> {
  // Object.keys loses the type of its argument's keys.
  const keys = Object.keys(columns) as (keyof Row & string)[]
  const list = (toSql: (key: keyof Row & string, name: string) => string): string =>
    keys.map((key) => toSql(key, toColumnName(key))).join(', ')
  const names = list((_, name) => name)
  return {
    names,
    values: list((key, name) => columns[key].toStored(`n.${name}`)),
    assignments: list((key, name) => `${name} = ${columns[key].toStored(`n.${name}`)}`),
    selection: list((key, name) => `${columns[key].toValue(name)} AS "${key}"`),
    source: (first) =>
      `unnest(${keys.map((key, index) => columns[key].array(first + index)).join(', ')}) AS n(${names})`,
    parameters: (rows) => keys.map((key) => columns[key].send(rows.map((row) => row[key]))),
  }
}
