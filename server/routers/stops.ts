// The console's stops procedures: by reason, one by one, and the audit of one stop.
import { z } from 'zod'
import { placeOf } from '../read-models/keyset.ts'
import { groupStops, listStops } from '../read-models/stop-list.ts'
import { stopAudit } from '../services/audit/stop-audit.ts'
import { procedureFor, router } from '../trpc/init.ts'

const Filter = z.object({
  environment: z.string().max(80).optional(),
  verdict: z.enum(['allowed', 'blocked', 'bypassed', 'no_checker', 'error']).optional(),
  code: z.string().max(120).optional(),
  since: z.number().int().min(0).optional(),
})

export const stopsRouter = router({
  groups: procedureFor('read')
    .input(z.object({ filter: Filter }))
    .query(({ ctx, input }) => groupStops(ctx.scope.projectId, input.filter)),

  list: procedureFor('read')
    .input(
      z.object({
        filter: Filter,
        cursor: z.string().max(120).nullish(),
        limit: z.number().int().min(1).max(200).default(100),
      }),
    )
    .query(({ ctx, input }) => {
      const { cursor, filter, limit } = input
      // A cursor that was typed by hand starts at the top.
      const after = cursor === null || cursor === undefined ? null : placeOf(cursor)
      return listStops(ctx.scope.projectId, filter, { after, limit })
    }),

  audit: procedureFor('read')
    .input(z.object({ stopId: z.string().min(1).max(80) }))
    .query(({ ctx, input }) => stopAudit(ctx.scope, input.stopId)),
})
