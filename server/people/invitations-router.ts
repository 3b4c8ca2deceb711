import { z } from 'zod'
import { clientAddress } from '@/server/platform/auth/client-address.ts'
import { listInvitations } from '@/server/platform/auth/invitations.sql.ts'
import { findUser } from '@/server/platform/auth/session.ts'
import { toNetwork } from '@/server/platform/auth/throttle.ts'
import {
  procedureFor,
  publicProcedure,
  router,
  userProcedure,
} from '@/server/platform/trpc/init.ts'
import {
  acceptAsNew,
  acceptAsUser,
  type Caller,
  invite,
  previewInvitation,
  revokeInvitation,
} from './invitations.ts'
import { AcceptInput, InvitationToken, InviteInput } from './people-input.ts'

const toInviteCaller = (headers: Headers): Caller => ({
  address: toNetwork(clientAddress(headers)),
})

export const invitationsRouter = router({
  list: procedureFor('member.manage').query(({ ctx }) => listInvitations(ctx.scope)),
  /** `link` is shown once. */
  create: procedureFor('member.manage')
    .input(InviteInput)
    .mutation(({ ctx, input }) => invite(ctx.scope, input)),
  revoke: procedureFor('member.manage')
    .input(z.object({ id: z.string().max(64) }))
    .mutation(({ ctx, input }) => revokeInvitation(ctx.scope, input.id)),
  preview: publicProcedure.input(InvitationToken).query(async ({ ctx, input }) => ({
    ...(await previewInvitation(input.token, toInviteCaller(ctx.headers))),
    signedInAs: (await findUser(ctx.headers))?.email ?? null,
  })),
  accept: publicProcedure
    .input(AcceptInput)
    .mutation(({ ctx, input }) => acceptAsNew(input, toInviteCaller(ctx.headers))),
  join: userProcedure
    .input(InvitationToken)
    .mutation(({ ctx, input }) => acceptAsUser(ctx.user, input.token, toInviteCaller(ctx.headers))),
})
