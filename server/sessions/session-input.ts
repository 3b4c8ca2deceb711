// The filter of the sessions list as it comes in: over the console's procedures and, as JSON, in the address of an export.

import { z } from 'zod'
import { FilterTermsInput, Instant } from '@/server/platform/trpc/inputs.ts'

export const SessionFilterInput = z.object({
  environment: z.string().max(80).optional(),
  status: z
    .enum(['running', 'ended', 'lost', 'working', 'waiting', 'blocked', 'silent', 'unknown'])
    .optional(),
  prompt: z.object({ ns: z.string().max(200), key: z.string().max(200) }).optional(),
  version: z.number().int().min(1).max(2_147_483_647).optional(),
  verdict: z.enum(['denied', 'blocked', 'bypassed', 'deadline', 'warning']).optional(),
  enforced: z.enum(['fully', 'not']).optional(),
  runtime: z.string().max(64).optional(),
  q: z.string().max(200).optional(),
  since: Instant.optional(),
  until: Instant.optional(),
  /** Only sessions of runtimes that use a key which the asking person made. */
  mine: z.boolean().optional(),
  terms: FilterTermsInput.optional(),
})

export type SessionFilterInput = z.infer<typeof SessionFilterInput>

export const SessionOrderInput = z.enum(['started', 'denied']).default('started')
