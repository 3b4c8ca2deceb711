// The terms of a filter text as they come in: the browser reads the text (components/lists/filter-grammar.ts).
import { z } from 'zod'

const Field = z.string().min(1).max(40)

const Term = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    field: Field.nullable(),
    words: z.array(z.string().min(1).max(200)).min(1).max(20).readonly(),
    isNegated: z.boolean(),
  }),
  z.object({
    kind: z.literal('number'),
    field: Field,
    compare: z.enum(['<', '>', '=']),
    value: z.number(),
    to: z.number().optional(),
    isNegated: z.boolean(),
  }),
])

export const FilterTermsInput = z.array(Term).max(20).readonly()
