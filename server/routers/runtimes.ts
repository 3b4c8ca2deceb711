// The console's runtimes procedures.
import { router } from '../trpc/init.ts'

export const runtimesRouter = router({})
