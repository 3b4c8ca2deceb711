// Input shapes of suggested rules, for procedures and the management API.
import { z } from 'zod'
import { PromptInput } from '@/server/platform/trpc/inputs.ts'

const RuleId = z
  .string()
  .min(1)
  .max(80)
  .describe('Id of a suggested rule: a digest of what it says.')

export const LearnPlaceInput = PromptInput.extend({
  environment: z.string().min(1).max(64),
})

export const TakeRulesInput = LearnPlaceInput.extend({
  ids: z.array(RuleId).min(1).max(200),
  mode: z
    .enum(['shadow', 'enforce'])
    .default('shadow')
    .describe('Mode of the added rules. Checks have no mode: they act at once.'),
})

export const DismissInput = LearnPlaceInput.extend({
  id: RuleId,
  reason: z.string().trim().min(1).max(500),
})

export const RestoreInput = LearnPlaceInput.extend({ id: RuleId })
