// The console's procedures about destinations of alerts, over all rules.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  addDestination,
  changeDestination,
  listDestinations,
  MOST_PLACES,
  removeDestination,
  tryDestination,
} from './destination-list.ts'
import { DESTINATION_KINDS } from './destinations.ts'

const Destination = z.object({ kind: z.enum(DESTINATION_KINDS), url: z.string().max(2_000) })
export const Destinations = z
  .array(Destination)
  .max(MOST_PLACES, `A rule has at most ${MOST_PLACES} destinations.`)
  .readonly()

const Id = z.object({ id: z.string().min(1).max(100) })

export const destinationsRouter = router({
  list: procedureFor('alert.manage').query(({ ctx }) => listDestinations(ctx.scope)),
  add: procedureFor('alert.manage')
    .input(
      z.object({
        destination: Destination,
        rules: z.array(Id.shape.id).min(1, 'Choose at least one rule.').max(500),
      }),
    )
    .mutation(({ ctx, input }) => addDestination(ctx.scope, input.destination, input.rules)),
  change: procedureFor('alert.manage')
    .input(Id.extend({ destination: Destination }))
    .mutation(({ ctx, input }) => changeDestination(ctx.scope, input.id, input.destination)),
  remove: procedureFor('alert.manage')
    .input(Id)
    .mutation(({ ctx, input }) => removeDestination(ctx.scope, input.id)),
  test: procedureFor('alert.manage')
    .input(Id)
    .mutation(({ ctx, input }) => tryDestination(ctx.scope, input.id)),
})
