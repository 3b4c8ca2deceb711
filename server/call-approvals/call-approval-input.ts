// Input shapes of call approvals. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'

export const DecideCallInput = z.object({
  id: z.string().min(1).max(100),
  decision: z.enum(['approved', 'denied']),
  input: z.string().min(1).max(100),
  note: z.string().max(2_000, 'A note has at most 2,000 characters.').nullable().default(null),
})
