// The server adds SQL (sql-list.ts), the console adds cells; types check both against the columns. Pure, because browsers read it too.
import type { Grammar, Term } from './filter-grammar.ts'

declare const held: unique symbol

export interface Type<Value> {
  readonly kind: 'text' | 'number' | 'instant' | 'json'
  /** Absent: any text. */
  readonly values?: readonly string[]
  readonly isNullable?: true
  /** Exists in types only. */
  readonly [held]?: { readonly value: Value }
}

export const TEXT: Type<string> = { kind: 'text' }
export const NUMBER: Type<number> = { kind: 'number' }
/** Epoch ms. */
export const INSTANT: Type<number> = { kind: 'instant' }

export function choice<const Value extends string>(values: readonly Value[]): Type<Value> {
  return { kind: 'text', values }
}

export function json<Value>(): Type<Value> {
  return { kind: 'json' }
}

export function nullable<Value>({ kind, values }: Type<Value>): Type<Value | null> {
  return { kind, ...(values && { values }), isNullable: true }
}

export interface Column {
  readonly type: Type<unknown>
  /** Header of the column. Absent: rows have the value, and no column shows it. */
  readonly label?: string
  readonly hint?: string
  /** Fixed width in px. */
  readonly width?: number
  /** Smallest width in px of a column that takes a share of the remaining width. */
  readonly least?: number
  /** Absent: 1. */
  readonly share?: number
  /** Absent: numbers are right-aligned, all others left-aligned. */
  readonly align?: 'start' | 'end'
  /** Name in exported files and in the management API. Absent: they omit it. */
  readonly export?: string
  /** Rows and files omit it: the console requests it separately, or derives it from other columns. */
  readonly isApart?: true
}

export type Param =
  | { readonly kind: 'text'; readonly most: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'environment' }
  | { readonly kind: 'prompt' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'version' }

export interface Order<Name extends string = string> {
  readonly column: Name
  /** Columns that order rows with equal values, before their ids do. */
  readonly thenBy?: readonly Name[]
  /** No two rows of a project have the same values in these columns, so ids need not order them. */
  readonly isUnique?: true
  readonly direction: 'asc' | 'desc'
  /** Database index that serves the order. Absent: the column header has no button. */
  readonly index?: string
}

type Columns = Readonly<Record<string, Column>>
type Params = Readonly<Record<string, Param>>
type Orders<Of extends Columns> = Readonly<Record<string, Order<keyof Of & string>>>

type ValueOf<C> = C extends { readonly type: { readonly [held]?: infer H } }
  ? NonNullable<H> extends { readonly value: infer Value }
    ? Value
    : never
  : never

type RowWith<Of extends Columns> = {
  readonly [Name in keyof Of as Of[Name] extends { readonly isApart: true }
    ? never
    : Name]: ValueOf<Of[Name]>
}

type Labeled<Of extends Columns> = {
  [Name in keyof Of]: Of[Name] extends { readonly label: string } ? Name : never
}[keyof Of] &
  string

export type FileCell = string | number | null

interface ListOf<C extends Columns, P extends Params, G extends Grammar, O extends Orders<C>> {
  /** Names the list's saved views, files and column choice. */
  readonly name: string
  /** In the order of exported files. */
  readonly columns: C
  /** Columns shown by default, from left to right. */
  readonly shown: readonly Labeled<C>[]
  readonly params: P
  readonly grammar: G
  readonly orders: O
  readonly defaultOrder: keyof O & string
  /** Range of an address without one, so that no page reads a year by accident. Absent: all time. */
  readonly standardRange?: string
  /** Cells of exported files that differ from the column's value, by export name. */
  readonly fileCells?: (row: RowWith<C>) => Readonly<Record<string, FileCell>>
}

export function defineList<
  const C extends Columns,
  const P extends Params,
  const G extends Grammar,
  const O extends Orders<C>,
>(list: ListOf<C, P, G, O> & { readonly columns: KnownParts<C> }): ListOf<C, P, G, O> {
  return list
}

/** A part that no column has, such as a misspelled one, does not compile. */
type KnownParts<C extends Columns> = {
  readonly [Name in keyof C]: {
    readonly [Part in Exclude<keyof C[Name], keyof Column>]: never
  }
}

export interface List {
  readonly name: string
  readonly columns: Columns
  readonly shown: readonly string[]
  readonly params: Params
  readonly grammar: Grammar
  readonly orders: Readonly<Record<string, Order>>
  readonly defaultOrder: string
  readonly standardRange?: string
  // Never called through this type: its parameter is the row of a specific list.
  readonly fileCells?: (row: never) => Readonly<Record<string, FileCell>>
}

export type RowOf<L extends List> = RowWith<L['columns']>
export type ColumnName<L extends List> = keyof RowOf<L> & string
export type OrderName<L extends List> = keyof L['orders'] & string

export interface PromptName {
  readonly ns: string
  readonly key: string
}

export type ParamValue<P> = P extends {
  readonly kind: 'choice'
  readonly values: readonly (infer Value)[]
}
  ? Value
  : P extends { readonly kind: 'prompt' }
    ? PromptName
    : P extends { readonly kind: 'version' }
      ? number
      : P extends { readonly kind: 'flag' }
        ? boolean
        : string

export interface CommonFilter {
  /** Epoch ms; `until` is not included. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly terms?: readonly Term[] | undefined
}

/** Every part that is set must match. */
export type FilterOf<L extends List> = CommonFilter & {
  readonly [Name in keyof L['params']]?: ParamValue<L['params'][Name]> | undefined
}

export const PAGE_ROWS = 100

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}
