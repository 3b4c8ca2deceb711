// People: first-run set-up, and the members page in Settings.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { auditPage } from '../services/audit-log.ts'
import {
  changeRole,
  createMember,
  isSetupOpen,
  listProjectMembers,
  removeMember,
  setUpFirstAdmin,
} from '../services/members.ts'
import { procedureFor, projectProcedure, publicProcedure, router } from '../trpc/init.ts'

const Name = z.string().trim().min(1).max(80)
const Email = z.email().max(254)
const Password = z.string().min(10).max(128)
const RoleName = z.enum(['viewer', 'editor', 'publisher', 'admin'])
/** Epoch ms, no more than a Date holds. */
const Instant = z.int().min(0).max(8_640_000_000_000_000)
const UserId = z.string().min(1).max(64)

export const membersRouter = router({
  /** Whether /setup is open: no user exists yet. */
  setupState: publicProcedure.query(async () => ({ open: await isSetupOpen() })),
  setup: publicProcedure
    .input(z.object({ token: z.string().max(256), name: Name, email: Email, password: Password }))
    .mutation(({ input }) => setUpFirstAdmin(input)),
  /** Who is signed in, with the role that decides what the console offers. */
  me: projectProcedure.query(({ ctx }) => ({
    userId: ctx.scope.userId,
    name: ctx.scope.userName,
    role: ctx.scope.role,
  })),
  /** Who changed what, newest first; `cursor` is the `next` of the page before. */
  auditLog: procedureFor('member.manage')
    .input(z.object({ cursor: z.object({ at: Instant, id: z.string().max(64) }).optional() }))
    .query(({ ctx, input }) => auditPage(ctx.scope, input.cursor)),
  list: procedureFor('read').query(({ ctx }) => listProjectMembers(ctx.scope)),
  /** Without `password` a one-time password is made and returned; it is shown once. */
  create: procedureFor('member.manage')
    .input(z.object({ name: Name, email: Email, role: RoleName, password: Password.optional() }))
    .mutation(async ({ ctx, input }) => {
      const generated = input.password === undefined ? randomBytes(12).toString('base64url') : null
      const password = input.password ?? generated ?? ''
      const { userId } = await createMember(ctx.scope, { ...input, password })
      return { userId, oneTimePassword: generated }
    }),
  setRole: procedureFor('member.manage')
    .input(z.object({ userId: UserId, role: RoleName }))
    .mutation(({ ctx, input }) => changeRole(ctx.scope, input)),
  remove: procedureFor('member.manage')
    .input(z.object({ userId: UserId }))
    .mutation(({ ctx, input }) => removeMember(ctx.scope, input.userId)),
})
