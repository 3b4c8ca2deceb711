// The console's feedback procedures: what agents were told, one by one, and what of it the list cannot have.

import { z } from 'zod'
import { placeAfter } from '@/server/platform/sql/keyset.ts'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  FilterTermsInput,
  PromptInput,
  pageInput,
  RangeInput,
  VersionNumber,
} from '@/server/platform/trpc/inputs.ts'
import { deliveryDetail } from './delivery-detail.ts'
import { FOLLOWED, listDeliveries, SEVERITIES, unlistedSessions } from './delivery-list.sql.ts'

/** Of the list, and of its file. */
export const DeliveryFilterInput = z.object({
  environment: z.string().max(80).optional(),
  prompt: PromptInput.optional(),
  version: VersionNumber.optional(),
  provider: z.string().max(300).optional(),
  name: z.string().max(300).optional(),
  severity: z.enum(SEVERITIES).optional(),
  followed: z.enum([...FOLLOWED, 'any']).optional(),
  ...RangeInput,
  terms: FilterTermsInput.optional(),
})

export const feedbackRouter = router({
  list: procedureFor('read')
    .input(pageInput(DeliveryFilterInput))
    .query(async ({ ctx, input: { cursor, filter, limit } }) => {
      const { projectId } = ctx.scope
      const after = placeAfter(cursor)
      const [page, unlisted] = await Promise.all([
        listDeliveries(projectId, filter, { after, limit }),
        // The list says so once, with its first page.
        after === null ? unlistedSessions(projectId) : null,
      ])
      return { ...page, unlisted }
    }),

  get: procedureFor('read')
    .input(z.object({ id: z.string().min(1).max(80) }))
    .query(({ ctx, input }) => deliveryDetail(ctx.scope, input.id)),
})
