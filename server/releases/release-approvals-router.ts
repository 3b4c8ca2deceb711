import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  decideApproval,
  loadRequestedReleases,
  requestApproval,
  withdrawRequest,
} from './release-approvals.ts'
import { DecideInput, PlaceInput, ReleaseInput, SubjectInput } from './release-input.ts'
import { listSchedules } from './schedule-list.sql.ts'

export const releaseApprovalsRouter = router({
  list: procedureFor('read').query(async ({ ctx }) =>
    loadRequestedReleases(ctx.scope, await listSchedules(ctx.scope)),
  ),
  request: procedureFor('draft.edit')
    .input(PlaceInput.extend({ subject: SubjectInput, note: ReleaseInput.shape.note }))
    .mutation(({ ctx, input }) => requestApproval(ctx.scope, input)),
  withdraw: procedureFor('draft.edit')
    .input(PlaceInput)
    .mutation(({ ctx, input }) => withdrawRequest(ctx.scope, input)),
  decide: procedureFor('release.approve')
    .input(DecideInput)
    .mutation(({ ctx, input }) => decideApproval(ctx.scope, input)),
})
