// The console's decisions procedures: calls that were not let through, and the explanation of one tool call decision.

import { z } from 'zod'
import { placeAfter } from '@/server/platform/sql/keyset.ts'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  FilterTermsInput,
  PromptInput,
  pageInput,
  RangeInput,
  VersionNumber,
} from '@/server/platform/trpc/inputs.ts'
import { decisionExplanation } from './decision-explanation.ts'
import { listDenials } from './denial-list.sql.ts'

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

  explanation: procedureFor('read')
    .input(z.object({ decisionId: z.string().min(1).max(80) }))
    .query(({ ctx, input }) => decisionExplanation(ctx.scope, input.decisionId)),
})
