// The console's schedules procedures: plan a release, move it, cancel it, and what is planned.

import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { VersionNumber } from '@/server/platform/trpc/inputs.ts'
import { ReleaseInput, SubjectInput } from './release-input.ts'
import { cancelScheduled, reschedule, scheduleRelease, schedulesOf } from './schedules.ts'

const Due = {
  /** Epoch ms. */
  dueAt: z.int().min(0).max(8_640_000_000_000_000),
  zone: z.string().min(1).max(64),
}
const Id = z.string().min(1).max(64)

/** Which sessions will run then, nobody knows. */
const Planned = ReleaseInput.extend({
  ...Due,
  subject: SubjectInput,
  tighten: z
    .boolean()
    .default(false)
    .refine((asks) => !asks, 'A planned release cannot tighten running sessions.'),
})

export const schedulesRouter = router({
  list: procedureFor('read').query(({ ctx }) => schedulesOf(ctx.scope)),
  create: procedureFor('release.publish')
    .input(Planned)
    .mutation(({ ctx, input }) => scheduleRelease(ctx.scope, input)),
  cancel: procedureFor('release.publish')
    .input(z.object({ id: Id }))
    .mutation(({ ctx, input }) => cancelScheduled(ctx.scope, input.id)),
  move: procedureFor('release.publish')
    .input(z.object({ id: Id, ...Due, expectedLive: VersionNumber.nullable() }))
    .mutation(({ ctx, input }) => reschedule(ctx.scope, input)),
})
