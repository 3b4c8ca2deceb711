'use client'

import {
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs'
import { useMemo } from 'react'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import type {
  FilterOf,
  List,
  OrderName,
  Param,
  ParamValue,
} from '@/server/platform/list/define-list.ts'
import { readFilterText } from '@/server/platform/list/filter-grammar.ts'
import { limitTime, parseAsListRange, parseAsRange, parsePrompt } from './list-params.ts'

type AddressValue<P> = P extends { readonly kind: 'prompt' } ? string : ParamValue<P>

type ParamValues<L extends List> = {
  readonly [Name in keyof L['params'] as L['params'][Name] extends { readonly kind: 'environment' }
    ? never
    : Name]: AddressValue<L['params'][Name]> | null
}

type ListValues<L extends List> = ParamValues<L> & {
  readonly range: string | null
  readonly q: string | null
  /** Null: the list's standard order. */
  readonly sort: OrderName<L> | null
}

export interface ListState<L extends List> {
  readonly values: ListValues<L>
  readonly set: (values: Partial<ListValues<L>>) => Promise<unknown>
  readonly filter: FilterOf<L>
  readonly order: OrderName<L>
  readonly onOrder: (order: string) => void
  /** Reason why the filter text is invalid; null: it is valid. */
  readonly problem: string | null
  readonly isFiltered: boolean
  readonly clear: () => void
}

function selectParser(param: Param) {
  switch (param.kind) {
    case 'choice':
      return parseAsStringLiteral(param.values)
    case 'version':
      return parseAsInteger
    case 'flag':
      return parseAsBoolean
    case 'text':
    case 'prompt':
    case 'environment':
      return parseAsString
    default:
      return param satisfies never
  }
}

/** Parameters in the address. The environment is left out, because the console's switcher owns it. */
const addressParams = ({ params }: List): readonly (readonly [string, Param])[] =>
  Object.entries(params).filter(([, { kind }]) => kind !== 'environment')

export function orderParser<L extends List>({ orders, defaultOrder }: L) {
  // The keys of the object are the order names; Object.keys loses that type.
  const names = Object.keys(orders) as OrderName<L>[]
  return parseAsStringLiteral(names.filter((name) => name !== defaultOrder))
}

function buildParsers(list: List) {
  return {
    ...Object.fromEntries(addressParams(list).map(([name, param]) => [name, selectParser(param)])),
    range: list.standardRange === undefined ? parseAsRange : parseAsListRange,
    q: parseAsString,
    sort: orderParser(list),
  }
}

function filterValue({ kind }: Param, value: unknown): unknown {
  return kind === 'prompt' ? parsePrompt(typeof value === 'string' ? value : null) : value
}

/** `now`: end of a relative range. */
export function useListState<L extends List>(list: L, now: number): ListState<L> {
  const environment = useEnvironment()
  const parsers = useMemo(() => buildParsers(list), [list])
  const [read, write] = useQueryStates(parsers)
  // The parsers are built in a loop over the parameters, which loses the type of each.
  const values = read as ListValues<L>
  const { q, range, sort } = values
  // A parameter of this name is plain text, without a grammar.
  const text = useMemo(() => readFilterText('q' in list.params ? null : q, list.grammar), [q, list])
  const filter = useMemo(() => {
    const given = new Map<string, unknown>(Object.entries(values))
    const parts = Object.entries(list.params).map(([name, param]) => [
      name,
      param.kind === 'environment' ? environment : filterValue(param, given.get(name) ?? undefined),
    ])
    const chosen = Object.fromEntries(parts.filter(([, value]) => value !== undefined))
    // A version without a prompt is meaningless.
    if (chosen['prompt'] === undefined) delete chosen['version']
    const filter = {
      ...chosen,
      ...(text.terms.length === 0 ? {} : { terms: text.terms }),
      ...limitTime(list, range, now),
    }
    // Each part has the value of its parameter, as parsed above.
    return filter as FilterOf<L>
  }, [list, environment, values, now, text, range])
  const names = Object.keys(parsers)
  const set = (next: object): Promise<unknown> => write(next)
  return {
    values,
    set,
    filter,
    order: sort ?? list.defaultOrder,
    onOrder: (order) => void set({ sort: order === list.defaultOrder ? null : order }),
    problem: text.problem,
    isFiltered: Object.entries(values).some(([name, value]) => name !== 'sort' && value !== null),
    clear: () =>
      void set(
        Object.fromEntries(names.filter((name) => name !== 'sort').map((name) => [name, null])),
      ),
  }
}
