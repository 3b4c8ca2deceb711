import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { changeRetention, loadRetention, previewRetention } from './retention.ts'

/** Null: forever. */
const Days = z.int('Whole days, please.').min(1, 'At least one day.').max(3650).nullable()

const Rule = z.object({ archiveDays: Days, eventsDays: Days, decisionsDays: Days })

export const retentionRouter = router({
  get: procedureFor('read').query(({ ctx }) => loadRetention(ctx.scope)),
  preview: procedureFor('project.manage')
    .input(Rule)
    .query(({ ctx, input }) => previewRetention(ctx.scope, input)),
  /** `typed`: only read when the rule is shorter than the current one. */
  change: procedureFor('project.manage')
    .input(Rule.extend({ typed: z.string().max(80).nullable() }))
    .mutation(({ ctx, input }) => changeRetention(ctx.scope, input)),
})
