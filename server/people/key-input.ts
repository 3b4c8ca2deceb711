// Input shapes of API keys. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'
import { findKeyProblem, KEY_SCOPES } from '@/server/platform/auth/key-scopes.kinds.ts'

/** Epoch ms; null: never. */
const ExpiresAt = z
  .number()
  .int()
  .positive()
  .max(8_640_000_000_000)
  .refine((at) => at > Date.now(), 'A key cannot expire in the past.')
  .nullable()
  .default(null)

export const CreateKeyInput = z.object({
  name: z.string().trim().min(1, 'Give the key a name.').max(80),
  environment: z.string().min(1).max(64),
  scopes: z.array(z.enum(KEY_SCOPES)).min(1).max(KEY_SCOPES.length),
  expiresAt: ExpiresAt,
})

/** Shows in the form what the server refuses. */
export const KeyFormInput = CreateKeyInput.superRefine(({ scopes, expiresAt }, context) => {
  const problem = findKeyProblem(scopes, expiresAt, Date.now())
  if (problem === null) return
  context.addIssue({ code: 'custom', path: [problem.field], message: problem.message })
})

export const RotateKeyInput = z.object({
  id: z.string().max(64),
  overlapHours: z.number().int().min(0).max(720),
  expiresAt: ExpiresAt,
})
