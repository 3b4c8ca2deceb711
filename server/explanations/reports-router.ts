import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { sessionReport } from './session-report.ts'

export const reportsRouter = router({
  session: procedureFor('read')
    .input(z.object({ sessionId: z.string().min(1).max(80) }))
    .query(({ ctx, input }) => sessionReport(ctx.scope, input.sessionId, Date.now())),
})
