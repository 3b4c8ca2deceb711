// Input shapes of pinned cases. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'
import { Instant } from '@/server/platform/trpc/inputs.ts'

export const CaseId = z.string().min(1).max(80)
export const Verdict = z.enum(['allowed', 'denied', 'blocked'])
export const CaseNote = z.string().trim().max(1_000, 'A note has at most 1,000 characters.')

export const PlainSampleInput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('last'), sessions: z.number().int().min(1).max(5_000) }),
  z
    .object({ kind: z.literal('range'), from: Instant, to: Instant })
    .refine(({ from, to }) => from < to, {
      path: ['to'],
      error: 'The end of the range must be after its start.',
    }),
  z.object({ kind: z.literal('cases') }),
])

/** `expected` absent: as recorded. */
export const PinInput = z.object({
  id: CaseId,
  expected: Verdict.optional(),
  note: CaseNote.optional(),
})
