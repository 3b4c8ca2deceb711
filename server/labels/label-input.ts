// Input shapes of labels, for procedures and the management API.
import { z } from 'zod'

const SessionId = z.string().min(1).max(80)

export const LABELS = ['good', 'bad'] as const
export type Label = (typeof LABELS)[number]

export const LabeledSessionInput = z.object({ sessionId: SessionId })
export const SetLabelInput = LabeledSessionInput.extend({
  seq: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .describe('Sequence number of the decision of a call or stop; 0: the session.'),
  label: z.enum(LABELS).nullable().describe('Null: removes the label.'),
})
