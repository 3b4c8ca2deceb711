// Accepted filters of the audit log, for the console's calls and the export's address alike.
import { z } from 'zod'

/** Epoch ms, no more than a Date holds. */
const Instant = z.coerce.number().int().min(0).max(8_640_000_000_000_000)

export const AuditFilterInput = z.object({
  actor: z.string().max(64).optional(),
  action: z.string().max(64).optional(),
  target: z.string().max(80).optional(),
  since: Instant.optional(),
  until: Instant.optional(),
})
