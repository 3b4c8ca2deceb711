import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { DraftId, PromptInput, Revision, VersionNumber } from '@/server/platform/trpc/inputs.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import { loadAdoption } from './adoption.ts'
import { PlaceInput, ReleaseInput, SubjectInput } from './release-input.ts'
import { listPartlyApplied, releaseList } from './release-list.sql.ts'
import { loadReleaseDetail, loadReleaseWork, loadVersionTimeline } from './release-pages.ts'
import { reviewRelease } from './release-review.ts'
import { releaseRights } from './release-right.ts'
import { RELEASES } from './releases.list.ts'
import { promoteVersion, publishDraft, rollBack } from './releases.ts'

const Move = ReleaseInput.extend({
  version: VersionNumber,
  expectedLive: VersionNumber.nullable(),
})

export const releasesRouter = router({
  rights: procedureFor('read').query(({ ctx }) => releaseRights(ctx.scope)),
  review: procedureFor('read')
    .input(
      PlaceInput.extend({
        kind: z.enum(['publish', 'promote', 'rollback']),
        subject: SubjectInput,
      }),
    )
    .query(({ ctx, input }) => reviewRelease(ctx.scope, input)),
  publish: procedureFor('release.publish')
    .input(ReleaseInput.extend({ draftId: DraftId, revision: Revision }))
    .mutation(({ ctx, input }) => publishDraft(ctx.scope, input)),
  promote: procedureFor('release.publish')
    .input(Move)
    .mutation(({ ctx, input }) => promoteVersion(ctx.scope, input)),
  rollBack: procedureFor('release.publish')
    .input(Move.omit({ typedName: true, stage: true, watch: true }))
    .mutation(({ ctx, input }) => rollBack(ctx.scope, input)),
  adoption: procedureFor('read')
    .input(z.object({ releaseId: z.string().min(1).max(64) }))
    .query(({ ctx, input }) => loadAdoption(ctx.scope, input.releaseId)),
  list: procedureFor('read')
    .input(listInput(RELEASES, z.object(filterShape(RELEASES))))
    .query(({ ctx, input }) => releaseList.page(ctx.scope, input)),
  partlyApplied: procedureFor('read').query(({ ctx }) => listPartlyApplied(ctx.scope)),
  work: procedureFor('read').query(({ ctx }) => loadReleaseWork(ctx.scope)),
  get: procedureFor('read')
    .input(z.object({ releaseId: z.string().min(1).max(64) }))
    .query(({ ctx, input }) => loadReleaseDetail(ctx.scope, input.releaseId)),
  timeline: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => loadVersionTimeline(ctx.scope, input)),
})
