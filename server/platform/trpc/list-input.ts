import { z } from 'zod'
import {
  type List,
  type OrderName,
  PAGE_ROWS,
  type Param,
  type ParamValue,
} from '../list/define-list.ts'
import { FilterTermsInput, RangeInput, VersionNumber } from './inputs.ts'

/** Any prompt of sessions, including names that no config could have. */
const Prompt = z.object({ ns: z.string().max(200), key: z.string().max(200) })

function paramInput(param: Param): z.ZodType {
  switch (param.kind) {
    case 'text':
      return z.string().max(param.most)
    case 'choice':
      return z.enum(param.values)
    case 'flag':
      return z.boolean()
    case 'environment':
      return z.string().max(80)
    case 'prompt':
      return Prompt
    case 'version':
      return VersionNumber
    default:
      return param satisfies never
  }
}

type FilterShape<L extends List> = {
  readonly [Name in keyof L['params']]: z.ZodOptional<
    z.ZodType<ParamValue<L['params'][Name]>, ParamValue<L['params'][Name]>>
  >
} & typeof RangeInput & { readonly terms: z.ZodOptional<typeof FilterTermsInput> }

export function filterShape<L extends List>({ params }: L): FilterShape<L> {
  const shape = Object.fromEntries(
    Object.entries(params).map(([name, param]) => [name, paramInput(param).optional()]),
  )
  // Each parameter has the schema of its kind; building them in a loop loses the type of each.
  return { ...shape, ...RangeInput, terms: FilterTermsInput.optional() } as FilterShape<L>
}

export function orderInput<L extends List>({ orders, defaultOrder }: L) {
  // The keys of the object are the order names; Object.keys loses that type.
  const names = Object.keys(orders) as OrderName<L>[]
  const standard: OrderName<L> = defaultOrder
  return z.enum(names).default(() => standard)
}

export function listInput<L extends List, Filter extends z.ZodType>(list: L, filter: Filter) {
  return z.object({
    filter,
    order: orderInput(list),
    // Longer than any cursor of the server: three texts of 300 characters, encoded.
    cursor: z.string().max(3_000).nullish(),
    limit: z.number().int().min(1).max(200).default(PAGE_ROWS),
  })
}
