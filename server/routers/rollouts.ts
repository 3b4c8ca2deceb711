// The console's rollouts procedures: every release, one release, the work that waits, a config's timeline.
import { EnvironmentName } from '@signalbox/wire'
import { z } from 'zod'
import { releaseDetail, releasePage, rolloutWork, versionTimeline } from '../services/rollouts.ts'
import { procedureFor, router } from '../trpc/init.ts'
import { PromptInput } from './config-input.ts'

export const rolloutsRouter = router({
  list: procedureFor('read')
    .input(
      z.object({
        environment: EnvironmentName.nullable().default(null),
        cursor: z.string().max(100).nullish(),
      }),
    )
    .query(({ ctx, input }) =>
      releasePage(ctx.scope, { environment: input.environment, cursor: input.cursor ?? null }),
    ),
  work: procedureFor('read').query(({ ctx }) => rolloutWork(ctx.scope)),
  get: procedureFor('read')
    .input(z.object({ releaseId: z.string().min(1).max(64) }))
    .query(({ ctx, input }) => releaseDetail(ctx.scope, input.releaseId)),
  timeline: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => versionTimeline(ctx.scope, input)),
})
