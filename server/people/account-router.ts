// The console's procedures for the signed-in user's own account. better-auth's endpoints change the password.
import { z } from 'zod'
import { listIdentityProviders } from '@/server/platform/auth/oidc.ts'
import { mailSender } from '@/server/platform/mail.ts'
import {
  procedureFor,
  publicProcedure,
  router,
  userProcedure,
} from '@/server/platform/trpc/init.ts'
import { endLogin, endOtherLogins, listProviderViews, loadAccount } from './account.ts'

export const accountRouter = router({
  ways: publicProcedure.query(() => ({
    providers: listIdentityProviders().map(({ id, label }) => ({ id, label })),
    passwordReset: mailSender() !== null,
  })),
  get: userProcedure.query(({ ctx }) => loadAccount(ctx.user)),
  endLogin: userProcedure
    .input(z.object({ id: z.string().min(1).max(64) }))
    .mutation(({ ctx, input }) => endLogin(ctx.user, input.id)),
  endOtherLogins: userProcedure.mutation(({ ctx }) => endOtherLogins(ctx.user)),
  /** Facts about single sign-on for Settings. */
  singleSignOn: procedureFor('read').query(() => listProviderViews()),
})
