import { z } from 'zod'
import { placeAfter } from '@/server/platform/sql/keyset.ts'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { listRefusals } from './refusal-feed.sql.ts'

export const refusalsRouter = router({
  list: procedureFor('read')
    .input(
      z.object({
        filter: z.object({
          environment: z.string().max(80).optional(),
          session: z.string().max(80).optional(),
        }),
        cursor: z.string().max(120).nullish(),
        limit: z.number().int().min(1).max(100).default(50),
      }),
    )
    .query(({ ctx, input: { cursor, filter, limit } }) => {
      const after = placeAfter(cursor)
      return listRefusals(ctx.scope.projectId, filter, { after, limit })
    }),
})
