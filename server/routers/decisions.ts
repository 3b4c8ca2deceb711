// The console's decisions procedures: the audit of one tool call decision.
import { z } from 'zod'
import { decisionAudit } from '../services/audit/decision-audit.ts'
import { procedureFor, router } from '../trpc/init.ts'

export const decisionsRouter = router({
  audit: procedureFor('read')
    .input(z.object({ decisionId: z.string().min(1).max(80) }))
    .query(({ ctx, input }) => decisionAudit(ctx.scope, input.decisionId)),
})
