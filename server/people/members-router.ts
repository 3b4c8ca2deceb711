import { z } from 'zod'
import { loadRoleRefusals } from '@/server/platform/auth/place-rights.ts'
import {
  procedureFor,
  projectProcedure,
  publicProcedure,
  router,
} from '@/server/platform/trpc/init.ts'
import {
  changeRole,
  isSetupOpen,
  listMemberViews,
  previewRemoval,
  removeMember,
  setUpFirstAdmin,
} from './members.ts'
import { SetRoleInput, SetupInput, UserId } from './people-input.ts'

export const membersRouter = router({
  /** `open`: no user exists yet, so /setup can be used. */
  setupState: publicProcedure.query(async () => ({ open: await isSetupOpen() })),
  setup: publicProcedure.input(SetupInput).mutation(({ input }) => setUpFirstAdmin(input)),
  me: projectProcedure.query(async ({ ctx }) => ({
    userId: ctx.scope.userId,
    name: ctx.scope.userName,
    role: ctx.scope.role,
    publishIn: ctx.scope.publishIn,
    refusals: await loadRoleRefusals(ctx.scope),
  })),
  list: procedureFor('read').query(({ ctx }) => listMemberViews(ctx.scope)),
  setRole: procedureFor('member.manage')
    .input(SetRoleInput)
    .mutation(({ ctx, input }) => changeRole(ctx.scope, input)),
  removal: procedureFor('member.manage')
    .input(z.object({ userId: UserId }))
    .query(({ ctx, input }) => previewRemoval(ctx.scope, input.userId)),
  remove: procedureFor('member.manage')
    .input(z.object({ userId: UserId, typedEmail: z.string().max(254) }))
    .mutation(({ ctx, input }) => removeMember(ctx.scope, input)),
})
