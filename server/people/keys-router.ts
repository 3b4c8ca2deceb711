// API keys in Settings: list, create and rotate (the secret is shown once), revoke.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { createKey, listProjectKeys, revokeKey, rotateKey } from './keys.ts'

/** Epoch ms. */
const ExpiresAt = z
  .number()
  .int()
  .positive()
  .max(8_640_000_000_000)
  .refine((at) => at > Date.now(), 'A key cannot expire in the past.')
  .nullable()
  .default(null)

const CreateKey = z.object({
  name: z.string().trim().min(1, 'Give the key a name.').max(80),
  environment: z.string().min(1).max(64),
  scopes: z
    .array(z.enum(['ingest', 'read', 'publish']))
    .min(1)
    .max(3),
  expiresAt: ExpiresAt,
})

export const keysRouter = router({
  list: procedureFor('key.manage').query(({ ctx }) => listProjectKeys(ctx.scope)),
  create: procedureFor('key.manage')
    .input(CreateKey)
    .mutation(({ ctx, input }) =>
      createKey(ctx.scope, { ...input, scopes: [...new Set(input.scopes)] }),
    ),
  rotate: procedureFor('key.manage')
    .input(
      z.object({
        id: z.string().max(64),
        overlapHours: z.number().int().min(0).max(720),
        expiresAt: ExpiresAt,
      }),
    )
    .mutation(({ ctx, input }) => rotateKey(ctx.scope, input)),
  revoke: procedureFor('key.manage')
    .input(z.object({ id: z.string().max(64) }))
    .mutation(({ ctx, input }) => revokeKey(ctx.scope, input.id)),
})
