// The console's releases procedures.
import { router } from '../trpc/init.ts'

export const releasesRouter = router({})
