import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import { DELIVERIES } from './deliveries.list.ts'
import { loadDeliveryDetail } from './delivery-detail.ts'
import { deliveryList, unlistedSessions } from './delivery-list.sql.ts'

export const DeliveryFilterInput = z.object(filterShape(DELIVERIES))

export const feedbackRouter = router({
  list: procedureFor('read')
    .input(listInput(DELIVERIES, DeliveryFilterInput))
    .query(async ({ ctx, input }) => {
      const [page, unlisted] = await Promise.all([
        deliveryList.page(ctx.scope, input),
        // Only with the first page.
        (input.cursor ?? null) === null ? unlistedSessions(ctx.scope.projectId) : null,
      ])
      return { ...page, unlisted }
    }),

  get: procedureFor('read')
    .input(z.object({ id: z.string().min(1).max(80) }))
    .query(({ ctx, input }) => loadDeliveryDetail(ctx.scope, input.id)),
})
