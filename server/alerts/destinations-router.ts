import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { AddDestinationInput, AlertId, ChangeDestinationInput } from './alert-input.ts'
import {
  addDestination,
  changeDestination,
  listDestinations,
  removeDestination,
  tryDestination,
} from './destination-list.ts'

const Id = z.object({ id: AlertId })

export const destinationsRouter = router({
  list: procedureFor('alert.manage').query(({ ctx }) => listDestinations(ctx.scope)),
  add: procedureFor('alert.manage')
    .input(AddDestinationInput)
    .mutation(({ ctx, input }) => addDestination(ctx.scope, input.destination, input.rules)),
  change: procedureFor('alert.manage')
    .input(ChangeDestinationInput)
    .mutation(({ ctx, input }) => changeDestination(ctx.scope, input.id, input.destination)),
  remove: procedureFor('alert.manage')
    .input(Id)
    .mutation(({ ctx, input }) => removeDestination(ctx.scope, input.id)),
  test: procedureFor('alert.manage')
    .input(Id)
    .mutation(({ ctx, input }) => tryDestination(ctx.scope, input.id)),
})
