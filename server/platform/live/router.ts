// The live channel of the console: one subscription that carries hints of every kind for the caller's project.

import { procedureFor, router } from '../trpc/init.ts'
import { liveHints } from './live-hints.ts'

export const liveRouter = router({
  /** Never ends by itself. Hints are not replayed: read again after every (re)connect. */
  hints: procedureFor('read').subscription(({ ctx, signal }) => liveHints(ctx.scope, signal)),
})
