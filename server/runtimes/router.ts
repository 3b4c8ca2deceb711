import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import { loadRuntimeEnvironments, loadRuntimes } from './runtime-list.ts'
import { runtimeList } from './runtime-pages.sql.ts'
import {
  loadRuntimeDetail,
  loadRuntimeGroups,
  loadRuntimeNames,
  refreshRuntime,
} from './runtime-pages.ts'
import { RUNTIMES } from './runtimes.list.ts'
import { commandPackage } from './served-packages.ts'

const RuntimeId = z.string().min(1).max(64)
const EnvironmentOnly = z.object({ environment: z.string().max(64).optional() }).default({})

export const runtimesRouter = router({
  groups: procedureFor('read')
    .input(z.object(filterShape(RUNTIMES)).default({}))
    .query(({ ctx, input }) => loadRuntimeGroups(ctx.scope, input)),
  page: procedureFor('read')
    .input(listInput(RUNTIMES, z.object(filterShape(RUNTIMES))))
    .query(({ ctx, input }) => runtimeList.page(ctx.scope, input)),
  names: procedureFor('read')
    .input(EnvironmentOnly)
    .query(({ ctx, input }) => loadRuntimeNames(ctx.scope, input.environment)),
  get: procedureFor('read')
    .input(z.object({ id: RuntimeId }))
    .query(({ ctx, input }) => loadRuntimeDetail(ctx.scope, input.id)),
  refresh: procedureFor('runtime.refresh')
    .input(z.object({ id: RuntimeId }))
    .mutation(({ ctx, input }) => refreshRuntime(ctx.scope, input.id)),
  list: procedureFor('read')
    .input(EnvironmentOnly)
    .query(({ ctx, input }) => loadRuntimes(ctx.scope, input.environment)),
  commandPackage: procedureFor('read').query(commandPackage),
  environments: procedureFor('read').query(({ ctx }) => loadRuntimeEnvironments(ctx.scope)),
})
