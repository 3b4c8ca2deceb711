// Input shapes of searches that prevent an incident, for procedures and the management API.
import { Claim, MAX_TEXT_CHARACTERS } from '@signalbox/wire'
import { z } from 'zod'
import { PromptInput } from '@/server/platform/trpc/inputs.ts'

const Id = z.string().min(1).max(80)

export const DecisionInput = z.object({
  sessionId: Id,
  seq: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .describe('Sequence number of the decision of the call or stop.'),
})

/** 0: the session of an answer, which has one decision to prevent. */
export const FoundInput = DecisionInput.extend({ seq: z.int().min(0).max(2_147_483_647) })

export const ExampleInput = PromptInput.extend({
  environment: z.string().min(1).max(64),
  text: z.string().max(MAX_TEXT_CHARACTERS).describe('The config without a base.'),
  question: Claim.shape.question,
})

export const PreventionIdInput = z.object({ id: Id })

export const TakeInput = PreventionIdInput.extend({
  candidate: z.int().min(1).max(5).describe('Number of the candidate, from 1.'),
  mode: z
    .enum(['enforce', 'shadow'])
    .default('enforce')
    .describe('`shadow`: an added policy is only recorded.'),
})
