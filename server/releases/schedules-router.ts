import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  DueInput,
  MovePlanInput,
  PLAN_GOES_TO_ALL,
  ReleaseInput,
  SubjectInput,
} from './release-input.ts'
import { listSchedules } from './schedule-list.sql.ts'
import { cancelScheduled, reschedule, scheduleRelease } from './schedules.ts'

const isAbsent = (value: unknown): boolean => value === undefined

/** A planned release goes to every new session and cannot tighten, because the sessions that run at that time are unknown. */
const Planned = ReleaseInput.extend({
  ...DueInput.shape,
  subject: SubjectInput,
  stage: ReleaseInput.shape.stage.refine(isAbsent, PLAN_GOES_TO_ALL),
  watch: ReleaseInput.shape.watch.refine(isAbsent, PLAN_GOES_TO_ALL),
  tighten: z
    .boolean()
    .default(false)
    .refine((asks) => !asks, 'A planned release cannot tighten running sessions.'),
})

export const schedulesRouter = router({
  list: procedureFor('read').query(({ ctx }) => listSchedules(ctx.scope)),
  create: procedureFor('release.publish')
    .input(Planned)
    .mutation(({ ctx, input }) => scheduleRelease(ctx.scope, input)),
  cancel: procedureFor('release.publish')
    .input(MovePlanInput.pick({ id: true }))
    .mutation(({ ctx, input }) => cancelScheduled(ctx.scope, input.id)),
  move: procedureFor('release.publish')
    .input(MovePlanInput)
    .mutation(({ ctx, input }) => reschedule(ctx.scope, input)),
})
