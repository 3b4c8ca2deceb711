import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  activatePrepared,
  prepareSigningKey,
  revokeSigningKey,
  signingKeys,
} from './signing-keys.ts'

const Id = z.string().max(64)
const TypedName = z.string().max(120)

export const signingKeysRouter = router({
  list: procedureFor('read').query(({ ctx }) => signingKeys(ctx.scope)),
  prepare: procedureFor('key.manage').mutation(({ ctx }) => prepareSigningKey(ctx.scope)),
  activate: procedureFor('key.manage')
    .input(z.object({ id: Id, typedName: TypedName.nullable().default(null) }))
    .mutation(({ ctx, input }) => activatePrepared(ctx.scope, input)),
  revoke: procedureFor('key.manage')
    .input(z.object({ id: Id, typedName: TypedName }))
    .mutation(({ ctx, input }) => revokeSigningKey(ctx.scope, input)),
})
