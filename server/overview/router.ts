// The Overview: one procedure per card, so that each fails alone.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { loadAttention } from './attention.ts'
import { runDemo } from './demo-run.ts'
import { loadFigures } from './figures.ts'
import { loadFirstSteps } from './overview.sql.ts'

const ScopedFields = z.object({ environment: z.string().max(64).optional() })
const Scoped = ScopedFields.default({})

export const overviewRouter = router({
  attention: procedureFor('read')
    .input(ScopedFields.extend({ all: z.boolean().optional() }).default({}))
    .query(({ ctx, input }) => loadAttention(ctx.scope, input)),
  figures: procedureFor('read')
    .input(Scoped)
    .query(({ ctx, input }) => loadFigures(ctx.scope, input)),
  steps: procedureFor('read').query(({ ctx }) => loadFirstSteps(ctx.scope)),
  runDemo: procedureFor('demo.run').mutation(() => runDemo()),
})
