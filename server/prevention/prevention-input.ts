// Input shapes of searches that prevent an incident, for procedures and the management API.
import { z } from 'zod'

const Id = z.string().min(1).max(80)

export const DecisionInput = z.object({
  sessionId: Id,
  seq: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .describe('Sequence number of the decision of the call or stop.'),
})

export const PreventionIdInput = z.object({ id: Id })

export const TakeInput = PreventionIdInput.extend({
  candidate: z.int().min(1).max(5).describe('Number of the candidate, from 1.'),
  mode: z
    .enum(['enforce', 'shadow'])
    .default('enforce')
    .describe('`shadow`: an added policy is only recorded.'),
})
