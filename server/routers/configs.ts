// The console's configs procedures.
import { router } from '../trpc/init.ts'

export const configsRouter = router({})
