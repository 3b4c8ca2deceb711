import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { StreamFormInput, StreamId } from './stream-input.ts'
import {
  createStream,
  listWebhookStreams,
  readStreamSecret,
  removeStream,
  resumeStream,
  tryStream,
  updateStream,
} from './streams.ts'

const Id = z.object({ id: StreamId })

export const webhookStreamsRouter = router({
  list: procedureFor('stream.manage').query(({ ctx }) => listWebhookStreams(ctx.scope)),
  create: procedureFor('stream.manage')
    .input(StreamFormInput)
    .mutation(({ ctx, input }) => createStream(ctx.scope, input)),
  change: procedureFor('stream.manage')
    .input(Id.extend({ stream: StreamFormInput }))
    .mutation(({ ctx, input }) => updateStream(ctx.scope, input.id, input.stream)),
  remove: procedureFor('stream.manage')
    .input(Id)
    .mutation(({ ctx, input }) => removeStream(ctx.scope, input.id)),
  resume: procedureFor('stream.manage')
    .input(Id)
    .mutation(({ ctx, input }) => resumeStream(ctx.scope, input.id)),
  test: procedureFor('stream.manage')
    .input(Id)
    .mutation(({ ctx, input }) => tryStream(ctx.scope, input.id)),
  secret: procedureFor('stream.manage')
    .input(Id)
    .mutation(({ ctx, input }) => readStreamSecret(ctx.scope, input.id)),
})
