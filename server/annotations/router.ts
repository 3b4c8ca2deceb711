// The console's annotation procedures: what people write on sessions and events.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  annotationsOf,
  editAnnotation,
  removeAnnotation,
  removeAnyAnnotation,
  writeAnnotation,
} from './annotations.ts'

const Id = z.string().min(1).max(80)
const Text = z
  .string()
  .trim()
  .min(1, 'Write something first.')
  .max(4_000, 'An annotation has at most 4,000 characters.')

export const annotationsRouter = router({
  list: procedureFor('read')
    .input(z.object({ sessionId: Id }))
    .query(({ ctx, input }) => annotationsOf(ctx.scope, input.sessionId)),
  write: procedureFor('annotation.write')
    .input(
      z.object({ sessionId: Id, seq: z.int().min(1).max(2_147_483_647).nullable(), text: Text }),
    )
    .mutation(({ ctx, input }) => writeAnnotation(ctx.scope, input)),
  edit: procedureFor('annotation.write')
    .input(z.object({ id: Id, text: Text }))
    .mutation(({ ctx, input }) => editAnnotation(ctx.scope, input.id, input.text)),
  remove: procedureFor('annotation.write')
    .input(z.object({ id: Id }))
    .mutation(({ ctx, input }) => removeAnnotation(ctx.scope, input.id)),
  /** Of anybody. */
  removeAny: procedureFor('project.manage')
    .input(z.object({ id: Id }))
    .mutation(({ ctx, input }) => removeAnyAnnotation(ctx.scope, input.id)),
})
