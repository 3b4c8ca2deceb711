import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { LabeledSessionInput, SetLabelInput } from './label-input.ts'
import { listLabels, setLabel } from './labels.ts'

export const labelsRouter = router({
  list: procedureFor('read')
    .input(LabeledSessionInput)
    .query(({ ctx, input }) => listLabels(ctx.scope, input.sessionId)),
  set: procedureFor('label.write')
    .input(SetLabelInput)
    .mutation(({ ctx, input }) => setLabel(ctx.scope, input)),
})
