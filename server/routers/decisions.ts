// The console's decisions procedures.
import { router } from '../trpc/init.ts'

export const decisionsRouter = router({})
