// The console's stops procedures.
import { router } from '../trpc/init.ts'

export const stopsRouter = router({})
