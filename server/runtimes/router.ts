// Runtimes and environments, as the console shows them.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { commandPackage } from './command-package.ts'
import { loadRuntimeEnvironments, loadRuntimes } from './runtime-list.ts'
import {
  refreshRuntime,
  runtimeDetail,
  runtimeGroups,
  runtimeNames,
  runtimePage,
} from './runtime-pages.ts'

const RuntimeId = z.string().min(1).max(64)
const Filter = z.object({
  environment: z.string().max(64).optional(),
  group: z.string().max(300).optional(),
})
const Place = z.object({ rank: z.int().min(0).max(100), name: z.string().max(300), id: RuntimeId })

export const runtimesRouter = router({
  /** Deployments, those that need attention first. */
  groups: procedureFor('read')
    .input(Filter.omit({ group: true }).default({}))
    .query(({ ctx, input }) => runtimeGroups(ctx.scope, input)),
  /** `cursor` is the `next` of the page before. */
  page: procedureFor('read')
    .input(Filter.extend({ cursor: Place.nullish() }).default({}))
    .query(({ ctx, input: { cursor, ...filter } }) =>
      runtimePage(ctx.scope, { ...filter, after: cursor ?? null }),
    ),
  names: procedureFor('read')
    .input(z.object({ environment: z.string().max(64).optional() }).default({}))
    .query(({ ctx, input }) => runtimeNames(ctx.scope, input.environment)),
  get: procedureFor('read')
    .input(z.object({ id: RuntimeId }))
    .query(({ ctx, input }) => runtimeDetail(ctx.scope, input.id)),
  /** Asks the runtime to poll and report now. */
  refresh: procedureFor('runtime.refresh')
    .input(z.object({ id: RuntimeId }))
    .mutation(({ ctx, input }) => refreshRuntime(ctx.scope, input.id)),
  list: procedureFor('read')
    .input(z.object({ environment: z.string().max(64).optional() }).default({}))
    .query(({ ctx, input }) => loadRuntimes(ctx.scope, input.environment)),
  /** Package that the connect command installs; null: this server was built without it. */
  commandPackage: procedureFor('read').query(commandPackage),
  /** In order of promotion; for switchers, publish dialogs and key forms. */
  environments: procedureFor('read').query(({ ctx }) => loadRuntimeEnvironments(ctx.scope)),
})
