import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import { explainDecision } from './decision-explanation.ts'
import { denialList } from './denial-list.sql.ts'
import { DENIALS } from './denials.list.ts'

export const DenialFilterInput = z.object(filterShape(DENIALS))

export const decisionsRouter = router({
  list: procedureFor('read')
    .input(listInput(DENIALS, DenialFilterInput))
    .query(({ ctx, input }) => denialList.page(ctx.scope, input)),

  explanation: procedureFor('read')
    .input(z.object({ decisionId: z.string().min(1).max(80) }))
    .query(({ ctx, input }) => explainDecision(ctx.scope, input.decisionId)),
})
