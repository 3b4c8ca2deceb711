import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { PromptInput } from '@/server/platform/trpc/inputs.ts'
import { AddClaimInput, ClaimId } from './claim-input.ts'
import { addClaim, loadClaims, removeClaim } from './claims.ts'

export const claimsRouter = router({
  of: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => loadClaims(ctx.scope, input)),
  add: procedureFor('release.publish')
    .input(AddClaimInput)
    .mutation(({ ctx, input }) => addClaim(ctx.scope, input)),
  remove: procedureFor('release.publish')
    .input(z.object({ id: ClaimId }))
    .mutation(({ ctx, input }) => removeClaim(ctx.scope, input.id)),
})
