// The console's decisions procedures: calls that were not let through, and the audit of one tool call decision.
import { z } from 'zod'
import { listDenials } from '../read-models/denial-list.ts'
import { decisionAudit } from '../services/audit/decision-audit.ts'
import { procedureFor, router } from '../trpc/init.ts'
import { PromptInput, RangeInput, VersionNumber } from './config-input.ts'
import { FilterTermsInput } from './filter-input.ts'
import { pageInput, placeAfter } from './page-input.ts'

/** Of the list, and of its file. */
export const DenialFilterInput = z.object({
  environment: z.string().max(80).optional(),
  prompt: PromptInput.optional(),
  version: VersionNumber.optional(),
  rule: z.string().max(300).optional(),
  tool: z.string().max(300).optional(),
  decision: z.enum(['denied', 'error']).optional(),
  ...RangeInput,
  terms: FilterTermsInput.optional(),
})

export const decisionsRouter = router({
  list: procedureFor('read')
    .input(pageInput(DenialFilterInput))
    .query(({ ctx, input: { cursor, filter, limit } }) =>
      listDenials(ctx.scope.projectId, filter, { after: placeAfter(cursor), limit }),
    ),

  audit: procedureFor('read')
    .input(z.object({ decisionId: z.string().min(1).max(80) }))
    .query(({ ctx, input }) => decisionAudit(ctx.scope, input.decisionId)),
})
