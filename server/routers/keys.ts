// The console's keys procedures.
import { router } from '../trpc/init.ts'

export const keysRouter = router({})
