// The console's releases procedures: publish, promote, roll back, and how far a release has got.
import { z } from 'zod'
import { adoptionOf } from '../services/adoption.ts'
import { reviewRelease } from '../services/release-review.ts'
import { promoteVersion, publishDraft, rollBack } from '../services/releases.ts'
import { procedureFor, router } from '../trpc/init.ts'
import {
  DraftId,
  PlaceInput,
  ReleaseInput,
  Revision,
  SubjectInput,
  VersionNumber,
} from './config-input.ts'

const Move = ReleaseInput.extend({
  version: VersionNumber,
  expectedLive: VersionNumber.nullable(),
})

export const releasesRouter = router({
  /** The gates that the server judges, before anything is released. */
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
    .query(({ ctx, input }) => adoptionOf(ctx.scope, input.releaseId)),
})
