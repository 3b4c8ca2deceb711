// The Overview: one procedure per card, so that each fails alone.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { PromptInput } from '@/server/platform/trpc/inputs.ts'
import { loadAttention } from './attention.ts'
import { loadFigures } from './figures.ts'
import { loadFirstSteps } from './first-steps.sql.ts'

const ScopedFields = z.object({ environment: z.string().max(64).optional() })
const Scoped = ScopedFields.default({})

export const overviewRouter = router({
  attention: procedureFor('read')
    .input(ScopedFields.extend({ all: z.boolean().optional() }).default({}))
    .query(({ ctx, input }) => loadAttention(ctx.scope, input)),
  figures: procedureFor('read')
    .input(Scoped)
    .query(({ ctx, input }) => loadFigures(ctx.scope, input)),
  steps: procedureFor('read')
    .input(
      z
        .object({
          keyId: z.string().min(1).max(64).optional(),
          harness: z.string().max(64).optional(),
          prompt: PromptInput.optional(),
        })
        .default({}),
    )
    .query(({ ctx, input }) => loadFirstSteps(ctx.scope, input)),
})
