// The console's stops procedures: by reason, one by one, and the explanation of one stop.

import { z } from 'zod'
import { placeAfter } from '@/server/platform/sql/keyset.ts'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  FilterTermsInput,
  pageInput,
  RangeInput,
  VersionNumber,
} from '@/server/platform/trpc/inputs.ts'
import { progressOfStops } from './attempt-chain.ts'
import { liveVerdict } from './live-verdict.ts'
import { stopExplanation } from './stop-explanation.ts'
import { stopGroups } from './stop-groups.ts'
import { listStops } from './stop-list.sql.ts'

const StopId = z.string().min(1).max(80)

/** Of the list, and of its file. */
export const StopFilterInput = z.object({
  environment: z.string().max(80).optional(),
  verdict: z.enum(['allowed', 'blocked', 'bypassed', 'no_checker', 'error']).optional(),
  code: z.string().max(120).optional(),
  prompt: z.object({ ns: z.string().max(200), key: z.string().max(200) }).optional(),
  version: VersionNumber.optional(),
  ...RangeInput,
  terms: FilterTermsInput.optional(),
})

export const stopsRouter = router({
  groups: procedureFor('read')
    .input(
      z.object({ filter: StopFilterInput, by: z.enum(['reason', 'config']).default('reason') }),
    )
    .query(({ ctx, input }) => stopGroups(ctx.scope, input)),

  list: procedureFor('read')
    .input(pageInput(StopFilterInput))
    .query(({ ctx, input: { cursor, filter, limit } }) =>
      listStops(ctx.scope.projectId, filter, { after: placeAfter(cursor), limit }),
    ),

  explanation: procedureFor('read')
    .input(z.object({ stopId: StopId }))
    .query(({ ctx, input }) => stopExplanation(ctx.scope, input.stopId)),

  /** What the version that is live now would have decided. */
  underLive: procedureFor('read')
    .input(z.object({ stopId: StopId }))
    .query(({ ctx, input }) => liveVerdict(ctx.scope, input.stopId)),

  /** Whether the agents get anywhere, of the stops of a page. */
  progress: procedureFor('read')
    .input(z.object({ stopIds: z.array(StopId).max(200) }))
    .query(({ ctx, input }) => progressOfStops(ctx.scope.projectId, input.stopIds)),
})
