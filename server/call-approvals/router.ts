import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { DecideCallInput } from './call-approval-input.ts'
import {
  callRights,
  decideWaitingCall,
  loadSettledCalls,
  loadWaitingCalls,
} from './call-approvals.ts'
import { countWaiting, SETTLED_KINDS } from './waiting-calls.sql.ts'

const Environment = z.string().max(40).optional()

export const callApprovalsRouter = router({
  rights: procedureFor('read').query(({ ctx }) => callRights(ctx.scope)),
  waiting: procedureFor('read')
    .input(z.object({ environment: Environment }))
    .query(({ ctx, input }) => loadWaitingCalls(ctx.scope, input.environment)),
  count: procedureFor('read')
    .input(z.object({ environment: Environment }))
    .query(({ ctx, input }) => countWaiting(ctx.scope.projectId, input.environment)),
  settled: procedureFor('read')
    .input(
      z.object({
        filter: z.object({
          environment: Environment,
          kind: z.enum(SETTLED_KINDS).optional(),
          sessionId: z.string().max(60).optional(),
        }),
        cursor: z.string().max(120).nullish(),
      }),
    )
    .query(({ ctx, input }) => loadSettledCalls(ctx.scope, input.filter, input.cursor ?? null)),
  decide: procedureFor('call.approve')
    .input(DecideCallInput)
    .mutation(({ ctx, input }) => decideWaitingCall(ctx.scope, input)),
})
