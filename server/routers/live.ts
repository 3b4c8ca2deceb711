// The live channel of the console: one subscription that carries hints of every kind for the caller's project.
import { liveHints } from '../services/live-hints.ts'
import { procedureFor, router } from '../trpc/init.ts'

export const liveRouter = router({
  /** Never ends by itself. Hints are not replayed: read again after every (re)connect. */
  hints: procedureFor('read').subscription(({ ctx, signal }) => liveHints(ctx.scope, signal)),
})
