// One question over everything in the project that has a page.
import { z } from 'zod'
import { search } from '../services/search.ts'
import { procedureFor, router } from '../trpc/init.ts'

export const searchRouter = router({
  find: procedureFor('read')
    .input(z.object({ q: z.string().max(200, 'A search has at most 200 characters.') }))
    .query(({ ctx, input }) => search(ctx.scope, input.q)),
})
