import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { search } from './search.ts'

export const searchRouter = router({
  find: procedureFor('read')
    .input(z.object({ q: z.string().max(200, 'A search has at most 200 characters.') }))
    .query(({ ctx, input }) => search(ctx.scope, input.q)),
})
