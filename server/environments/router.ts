// The console's environments procedures: what each asks before a release, their order, and the list itself.
import { EnvironmentName } from '@signalbox/wire'
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  changeDemands,
  createEnvironment,
  environmentSettings,
  removeEnvironment,
  reorderEnvironments,
} from './environments.ts'

const Demands = z.object({
  name: EnvironmentName,
  requiresNote: z.boolean(),
  requiresTypedName: z.boolean(),
  requiredApprovals: z.int().min(0).max(5),
  rollbackSkipsApproval: z.boolean(),
  requiresBacktest: z.boolean(),
})

export const environmentsRouter = router({
  list: procedureFor('read').query(({ ctx }) => environmentSettings(ctx.scope)),
  create: procedureFor('environment.manage')
    .input(Demands)
    .mutation(({ ctx, input }) => createEnvironment(ctx.scope, input)),
  change: procedureFor('environment.manage')
    .input(Demands)
    .mutation(({ ctx, input }) => changeDemands(ctx.scope, input)),
  reorder: procedureFor('environment.manage')
    .input(z.object({ names: z.array(EnvironmentName).min(1).max(50) }))
    .mutation(({ ctx, input }) => reorderEnvironments(ctx.scope, input.names)),
  remove: procedureFor('environment.manage')
    .input(z.object({ name: EnvironmentName, typedName: z.string().max(64) }))
    .mutation(({ ctx, input }) => removeEnvironment(ctx.scope, input)),
})
