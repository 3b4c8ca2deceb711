import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { NameViewInput, ViewQuery } from './saved-view-input.ts'
import {
  chooseDefault,
  editView,
  loadSavedViews,
  removeView,
  restoreView,
  saveView,
  unshareView,
  VIEW_LISTS,
} from './saved-views.ts'

const Id = z.object({ id: z.string().min(1).max(80) })

export const savedViewsRouter = router({
  list: procedureFor('read').query(({ ctx }) => loadSavedViews(ctx.scope)),
  save: procedureFor('read')
    .input(NameViewInput.extend({ list: z.enum(VIEW_LISTS), query: ViewQuery }))
    .mutation(({ ctx, input }) => saveView(ctx.scope, input)),
  change: procedureFor('read')
    .input(NameViewInput.extend({ query: ViewQuery }).partial().extend(Id.shape))
    .mutation(({ ctx, input: { id, ...change } }) => editView(ctx.scope, id, change)),
  unshare: procedureFor('project.manage')
    .input(Id)
    .mutation(({ ctx, input }) => unshareView(ctx.scope, input.id)),
  remove: procedureFor('read')
    .input(Id)
    .mutation(({ ctx, input }) => removeView(ctx.scope, input.id)),
  restore: procedureFor('read')
    .input(Id)
    .mutation(({ ctx, input }) => restoreView(ctx.scope, input.id)),
  setDefault: procedureFor('read')
    .input(z.object({ list: z.enum(VIEW_LISTS), id: z.string().min(1).max(80).nullable() }))
    .mutation(({ ctx, input }) => chooseDefault(ctx.scope, input)),
})
