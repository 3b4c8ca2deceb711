// The console's saved views.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
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
const Name = z
  .string()
  .trim()
  .min(1, 'Give the view a name.')
  .max(80, 'A name has at most 80 characters.')
const Query = z.string().max(2_000, 'The address is too long to be saved. Take a filter away.')

export const savedViewsRouter = router({
  list: procedureFor('read').query(({ ctx }) => loadSavedViews(ctx.scope)),
  /** Requires `view.share` for the project. */
  save: procedureFor('read')
    .input(z.object({ list: z.enum(VIEW_LISTS), name: Name, query: Query, shared: z.boolean() }))
    .mutation(({ ctx, input }) => saveView(ctx.scope, input)),
  change: procedureFor('read')
    .input(
      Id.extend({
        name: Name.optional(),
        query: Query.optional(),
        shared: z.boolean().optional(),
      }),
    )
    .mutation(({ ctx, input: { id, ...change } }) => editView(ctx.scope, id, change)),
  /** Accepts any user's view. */
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
