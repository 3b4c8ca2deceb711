// The console's sessions procedures.
import { router } from '../trpc/init.ts'

export const sessionsRouter = router({})
