// API keys in Settings: list, create (the secret is shown once), revoke.
import { z } from 'zod'
import { createKey, listProjectKeys, revokeKey } from '../services/keys.ts'
import { procedureFor, router } from '../trpc/init.ts'

const CreateKey = z.object({
  name: z.string().trim().min(1).max(80),
  environment: z.string().min(1).max(64),
  scopes: z
    .array(z.enum(['ingest', 'read', 'publish']))
    .min(1)
    .max(3),
  /** Epoch ms. */
  expiresAt: z.number().int().positive().max(8_640_000_000_000).nullable().default(null),
})

export const keysRouter = router({
  list: procedureFor('key.manage').query(({ ctx }) => listProjectKeys(ctx.scope)),
  create: procedureFor('key.manage')
    .input(CreateKey)
    .mutation(({ ctx, input }) =>
      createKey(ctx.scope, { ...input, scopes: [...new Set(input.scopes)] }),
    ),
  revoke: procedureFor('key.manage')
    .input(z.object({ id: z.string().max(64) }))
    .mutation(({ ctx, input }) => revokeKey(ctx.scope, input.id)),
})
