import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { PromptInput, VersionNumber } from '@/server/platform/trpc/inputs.ts'
import {
  PlaceInput,
  ReleaseInput,
  ShareInput,
  WatchInput,
} from '@/server/releases/release-input.ts'
import {
  listEndedRollouts,
  listStagedRollouts,
  loadStagedRollout,
} from './staged-rollout-overview.ts'
import { changeShare, setShadowVersion, stopRollout, watchRelease } from './staged-rollouts.ts'

const RolloutId = z.string().min(1).max(64)
const { note, typedName } = ReleaseInput.shape

export const stagedRolloutsRouter = router({
  of: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => loadStagedRollout(ctx.scope, input)),
  running: procedureFor('read').query(({ ctx }) => listStagedRollouts(ctx.scope)),
  ended: procedureFor('read').query(({ ctx }) => listEndedRollouts(ctx.scope)),
  share: procedureFor('release.publish')
    .input(z.object({ rolloutId: RolloutId, share: ShareInput, note, typedName }))
    .mutation(({ ctx, input }) => changeShare(ctx.scope, input)),
  stop: procedureFor('release.publish')
    .input(z.object({ rolloutId: RolloutId, note }))
    .mutation(({ ctx, input }) => stopRollout(ctx.scope, input)),
  watch: procedureFor('release.publish')
    .input(z.object({ releaseId: z.string().min(1).max(64), watch: WatchInput, note }))
    .mutation(({ ctx, input }) => watchRelease(ctx.scope, input)),
  shadow: procedureFor('release.publish')
    .input(PlaceInput.extend({ version: VersionNumber.nullable() }))
    .mutation(({ ctx, input }) => setShadowVersion(ctx.scope, input)),
})
