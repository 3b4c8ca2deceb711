// Input shapes of pinned cases. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'

export const CaseId = z.string().min(1).max(80)
export const Verdict = z.enum(['allowed', 'denied', 'blocked'])
export const CaseNote = z.string().trim().max(1_000, 'A note has at most 1,000 characters.')

/** `expected` absent: as recorded. */
export const PinInput = z.object({
  id: CaseId,
  expected: Verdict.optional(),
  note: CaseNote.optional(),
})
