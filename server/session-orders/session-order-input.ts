// Input shapes of session orders. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'

export const SessionPlaceInput = z.object({ sessionId: z.string().min(1).max(80) })

export const GiveOrderInput = SessionPlaceInput.extend({
  action: z.enum(['pause', 'resume', 'end']),
  /** One line, because the agent reads it within one. */
  reason: z
    .string()
    .trim()
    .min(1, 'Enter the reason. The agent and the log show it.')
    .max(500, 'A reason has at most 500 characters.')
    .regex(/^[^\p{Cc}]*$/u, 'Use one line.'),
})
