import { EnvironmentName } from '@signalbox/wire'
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { EnvironmentInput } from './environment-input.ts'
import {
  changeDemands,
  createEnvironment,
  loadEnvironmentSettings,
  removeEnvironment,
  reorderEnvironments,
} from './environments.ts'

export const environmentsRouter = router({
  list: procedureFor('read').query(({ ctx }) => loadEnvironmentSettings(ctx.scope)),
  create: procedureFor('environment.manage')
    .input(EnvironmentInput)
    .mutation(({ ctx, input }) => createEnvironment(ctx.scope, input)),
  change: procedureFor('environment.manage')
    .input(EnvironmentInput)
    .mutation(({ ctx, input }) => changeDemands(ctx.scope, input)),
  reorder: procedureFor('environment.manage')
    .input(z.object({ names: z.array(EnvironmentName).min(1).max(50) }))
    .mutation(({ ctx, input }) => reorderEnvironments(ctx.scope, input.names)),
  remove: procedureFor('environment.manage')
    .input(z.object({ name: EnvironmentName, typedName: z.string().max(64) }))
    .mutation(({ ctx, input }) => removeEnvironment(ctx.scope, input)),
})
