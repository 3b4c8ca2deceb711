import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { STORIES } from './demo-input.ts'
import { loadStories, runDemo } from './run-demo.ts'

export const demoRouter = router({
  stories: procedureFor('read').query(({ ctx }) => loadStories(ctx.scope)),
  run: procedureFor('demo.run')
    .input(z.object({ story: z.enum(STORIES) }))
    .mutation(({ ctx, input }) => runDemo(ctx.scope, input.story)),
})
