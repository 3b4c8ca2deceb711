// The console's drafts procedures.
import { router } from '../trpc/init.ts'

export const draftsRouter = router({})
