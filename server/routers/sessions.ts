// The console's sessions procedures: the list, one session's header, its compact index, payloads and states.
import { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { MOST_INDEX_ENTRIES, readEventIndex } from '../read-models/event-index.ts'
import { placeOf } from '../read-models/keyset.ts'
import { findSessionHead } from '../read-models/session-head.ts'
import { findSessions, listPrompts, listSessions } from '../read-models/session-list.ts'
import { recordedEvents } from '../services/audit/recorded-events.ts'
import { sessionStateAt } from '../services/audit/session-state.ts'
import { procedureFor, router } from '../trpc/init.ts'

const Id = z.string().min(1).max(80)
const Seq = z.number().int().min(0).max(2_147_483_647)
const Filter = z.object({
  environment: z.string().max(80).optional(),
  status: z.enum(['running', 'ended', 'lost']).optional(),
  prompt: z.object({ ns: z.string().max(200), key: z.string().max(200) }).optional(),
  verdict: z.enum(['denied', 'blocked', 'bypassed', 'warning']).optional(),
  enforced: z.enum(['fully', 'not']).optional(),
  runtime: z.string().max(64).optional(),
})

export const sessionsRouter = router({
  list: procedureFor('read')
    .input(
      z.object({
        filter: Filter,
        cursor: z.string().max(120).nullish(),
        limit: z.number().int().min(1).max(200).default(100),
      }),
    )
    .query(({ ctx, input }) => {
      const { cursor, filter, limit } = input
      // A cursor that was typed by hand starts at the top.
      const after = cursor === null || cursor === undefined ? null : placeOf(cursor)
      return listSessions(ctx.scope.projectId, filter, { after, limit })
    }),

  /** The named rows as they are now, and whether each belongs to the filtered list. */
  rows: procedureFor('read')
    .input(z.object({ filter: Filter, ids: z.array(Id).max(500) }))
    .query(({ ctx, input }) => findSessions(ctx.scope.projectId, input.filter, input.ids)),

  prompts: procedureFor('read').query(({ ctx }) => listPrompts(ctx.scope.projectId)),

  head: procedureFor('read')
    .input(z.object({ sessionId: Id }))
    .query(async ({ ctx, input }) => {
      const head = await findSessionHead(ctx.scope.projectId, input.sessionId)
      if (head === null) {
        throw new ServiceError('not_found', `There is no session ${input.sessionId}.`)
      }
      return head
    }),

  /** Fewer entries than asked for means that there are no more yet. */
  index: procedureFor('read')
    .input(
      z.object({
        sessionId: Id,
        afterSeq: Seq,
        limit: z.number().int().min(1).max(MOST_INDEX_ENTRIES).default(MOST_INDEX_ENTRIES),
      }),
    )
    .query(({ ctx, input }) => readEventIndex(ctx.scope.projectId, input.sessionId, input)),

  events: procedureFor('read')
    .input(z.object({ sessionId: Id, seqs: z.array(Seq).min(1).max(20) }))
    .query(({ ctx, input }) => recordedEvents(ctx.scope, input.sessionId, input.seqs)),

  state: procedureFor('read')
    .input(z.object({ sessionId: Id, seq: Seq, from: Seq.optional() }))
    .query(({ ctx, input }) => sessionStateAt(ctx.scope, input.sessionId, input)),
})
