import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  AnnotationIdInput,
  EditAnnotationInput,
  SessionIdInput,
  WriteAnnotationInput,
} from './annotation-input.ts'
import {
  editAnnotation,
  listSessionNotes,
  removeAnnotation,
  removeAnyAnnotation,
  writeAnnotation,
} from './annotations.ts'

export const annotationsRouter = router({
  list: procedureFor('read')
    .input(SessionIdInput)
    .query(({ ctx, input }) => listSessionNotes(ctx.scope, input.sessionId)),
  write: procedureFor('annotation.write')
    .input(WriteAnnotationInput)
    .mutation(({ ctx, input }) => writeAnnotation(ctx.scope, input)),
  edit: procedureFor('annotation.write')
    .input(EditAnnotationInput)
    .mutation(({ ctx, input }) => editAnnotation(ctx.scope, input.id, input.text)),
  remove: procedureFor('annotation.write')
    .input(AnnotationIdInput)
    .mutation(({ ctx, input }) => removeAnnotation(ctx.scope, input.id)),
  removeAny: procedureFor('project.manage')
    .input(AnnotationIdInput)
    .mutation(({ ctx, input }) => removeAnyAnnotation(ctx.scope, input.id)),
})
