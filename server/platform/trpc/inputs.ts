// Forms use these shapes too, so nothing of the server is imported.
import { PromptKey, PromptNs } from '@signalbox/wire'
import { z } from 'zod'

export const PromptInput = z.object({ ns: PromptNs, key: PromptKey })

export const VersionNumber = z.int().min(1).max(2_147_483_647)

export const DraftId = z.string().min(1).max(64)

export const Revision = z.int().min(1).max(2_147_483_647)

/** Epoch ms, at most what a Date holds. */
export const Instant = z.number().int().min(0).max(8_640_000_000_000_000)

/** Range of a list in epoch ms; `until` is not included. */
export const RangeInput = {
  since: z.number().int().min(0).optional(),
  until: z
    .number()
    .int()
    .min(0)
    .max(Date.UTC(9999, 0, 1))
    .optional(),
}

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

/** Terms as the browser parsed them (server/platform/list/filter-grammar.ts). */
export const FilterTermsInput = z.array(Term).max(20).readonly()
