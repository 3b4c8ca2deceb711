// The console's overview procedures.
import { router } from '../trpc/init.ts'

export const overviewRouter = router({})
