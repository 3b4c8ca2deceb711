import { z } from 'zod'
import { listKeys } from '@/server/platform/auth/keys.sql.ts'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { CreateKeyInput, RotateKeyInput } from './key-input.ts'
import { createKey, revokeKey, rotateKey } from './keys.ts'

export const keysRouter = router({
  list: procedureFor('key.manage').query(({ ctx }) => listKeys(ctx.scope)),
  create: procedureFor('key.manage')
    .input(CreateKeyInput)
    .mutation(({ ctx, input }) =>
      createKey(ctx.scope, { ...input, scopes: [...new Set(input.scopes)] }),
    ),
  rotate: procedureFor('key.manage')
    .input(RotateKeyInput)
    .mutation(({ ctx, input }) => rotateKey(ctx.scope, input)),
  revoke: procedureFor('key.manage')
    .input(z.object({ id: z.string().max(64) }))
    .mutation(({ ctx, input }) => revokeKey(ctx.scope, input.id)),
})
