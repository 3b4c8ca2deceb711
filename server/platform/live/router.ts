import { procedureFor, router } from '../trpc/init.ts'
import { liveNotifications } from './live-notifications.ts'

export const liveRouter = router({
  /** Never ends on its own. Notifications are not replayed, so read again after every (re)connect. */
  notifications: procedureFor('read').subscription(({ ctx, signal }) =>
    liveNotifications(ctx.scope, signal),
  ),
})
