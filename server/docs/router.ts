import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { searchDocs } from './search.ts'

export const docsRouter = router({
  find: procedureFor('read')
    .input(z.object({ q: z.string().max(200, 'A search has at most 200 characters.') }))
    .query(({ input }) => searchDocs(input.q)),
})
