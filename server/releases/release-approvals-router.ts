// The console's approvals procedures: ask, take back, approve or refuse, and what waits for an answer.

import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { VersionNumber } from '@/server/platform/trpc/inputs.ts'
import {
  decideApproval,
  requestApproval,
  waitingApprovals,
  withdrawRequest,
} from './release-approvals.ts'
import { PlaceInput, SubjectInput } from './release-input.ts'

const Note = z.string().max(2_000, 'A note has at most 2,000 characters.').nullable().default(null)

export const releaseApprovalsRouter = router({
  waiting: procedureFor('read').query(({ ctx }) => waitingApprovals(ctx.scope)),
  request: procedureFor('draft.edit')
    .input(PlaceInput.extend({ subject: SubjectInput, note: Note }))
    .mutation(({ ctx, input }) => requestApproval(ctx.scope, input)),
  withdraw: procedureFor('draft.edit')
    .input(PlaceInput)
    .mutation(({ ctx, input }) => withdrawRequest(ctx.scope, input)),
  decide: procedureFor('release.approve')
    .input(
      PlaceInput.extend({
        digest: z.string().min(1).max(100),
        expectedLive: VersionNumber.nullable(),
        decision: z.enum(['approved', 'refused']),
        note: Note,
      }),
    )
    .mutation(({ ctx, input }) => decideApproval(ctx.scope, input)),
})
