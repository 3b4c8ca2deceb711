import { z } from 'zod'
import { listMemberships } from '@/server/platform/auth/members.sql.ts'
import { procedureFor, router, userProcedure } from '@/server/platform/trpc/init.ts'
import { ProjectInput } from './people-input.ts'
import {
  changeName,
  createProject,
  currentProject,
  deleteProject,
  findOwnProject,
  previewDeletion,
} from './projects.ts'

export const projectsRouter = router({
  mine: userProcedure.query(({ ctx }) => listMemberships(ctx.user.id)),
  ofId: userProcedure
    .input(z.object({ id: z.string().min(1).max(120) }))
    .query(({ ctx, input }) => findOwnProject(ctx.user.id, input.id)),
  current: procedureFor('read').query(({ ctx }) => currentProject(ctx.scope)),
  create: procedureFor('project.manage')
    .input(ProjectInput)
    .mutation(({ ctx, input }) => createProject(ctx.scope, input.name)),
  rename: procedureFor('project.manage')
    .input(ProjectInput)
    .mutation(({ ctx, input }) => changeName(ctx.scope, input.name)),
  deletion: procedureFor('project.manage').query(({ ctx }) => previewDeletion(ctx.scope)),
  delete: procedureFor('project.manage')
    .input(z.object({ typedName: z.string().max(80) }))
    .mutation(({ ctx, input }) => deleteProject(ctx.scope, input.typedName)),
})
