import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import { loadStopProgress } from './attempt-chain.ts'
import { liveVerdict } from './live-verdict.ts'
import { stopExplanation } from './stop-explanation.ts'
import { stopGroups } from './stop-groups.ts'
import { stopList } from './stop-list.sql.ts'
import { STOPS } from './stops.list.ts'

const StopId = z.string().min(1).max(80)

export const StopFilterInput = z.object(filterShape(STOPS))

export const stopsRouter = router({
  groups: procedureFor('read')
    .input(
      z.object({ filter: StopFilterInput, by: z.enum(['reason', 'config']).default('reason') }),
    )
    .query(({ ctx, input }) => stopGroups(ctx.scope, input)),

  list: procedureFor('read')
    .input(listInput(STOPS, StopFilterInput))
    .query(({ ctx, input }) => stopList.page(ctx.scope, input)),

  explanation: procedureFor('read')
    .input(z.object({ stopId: StopId }))
    .query(({ ctx, input }) => stopExplanation(ctx.scope, input.stopId)),

  underLive: procedureFor('read')
    .input(z.object({ stopId: StopId }))
    .query(({ ctx, input }) => liveVerdict(ctx.scope, input.stopId)),

  progress: procedureFor('read')
    .input(z.object({ stopIds: z.array(StopId).max(200) }))
    .query(({ ctx, input }) => loadStopProgress(ctx.scope.projectId, input.stopIds)),
})
