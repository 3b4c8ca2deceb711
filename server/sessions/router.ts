import { z } from 'zod'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { listInput } from '@/server/platform/trpc/list-input.ts'
import { MOST_INDEX_ENTRIES, readEventIndex } from './log/event-index.sql.ts'
import { foldAt, foldConfig, foldEvents, stateDigest } from './log/fold-source.ts'
import { requireLogPlace } from './log/log-place.ts'
import { recordedEvents } from './log/recorded-events.ts'
import { loadPlanUpdates, loadWatchedFiles, searchPayloads } from './session-contents.sql.ts'
import { sessionList } from './session-filter.sql.ts'
import { findSessionHead } from './session-head.sql.ts'
import { SessionFilterInput } from './session-input.ts'
import { listPrompts } from './session-list.sql.ts'
import { filterFor, loadNarrowings, loadSessionRows, loadSessionTotal } from './session-lists.ts'
import { SESSIONS } from './sessions.list.ts'

const Id = z.string().min(1).max(80)
const LAST_SEQ = 2_147_483_647
const Seq = z.number().int().min(0).max(LAST_SEQ)

const ASKED_EVENTS = { toSeq: Seq, conditions: z.boolean().default(false) }

export const sessionsRouter = router({
  list: procedureFor('read')
    .input(listInput(SESSIONS, SessionFilterInput))
    .query(({ ctx, input: { filter, ...page } }) =>
      sessionList.page(ctx.scope, { ...page, filter: filterFor(ctx.scope, filter) }),
    ),

  rows: procedureFor('read')
    .input(z.object({ filter: SessionFilterInput, ids: z.array(Id).max(500) }))
    .query(({ ctx, input }) => loadSessionRows(ctx.scope, input.filter, input.ids)),

  /** Number of sessions that match the filter; `MOST_COUNTED` plus one means more. */
  total: procedureFor('read')
    .input(z.object({ filter: SessionFilterInput }))
    .query(({ ctx, input }) => loadSessionTotal(ctx.scope, input.filter)),

  narrowings: procedureFor('read')
    .input(z.object({ filter: SessionFilterInput }))
    .query(({ ctx, input }) => loadNarrowings(ctx.scope, input.filter)),

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

  /** Fewer entries than requested: there are no more yet. */
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

  search: procedureFor('read')
    .input(z.object({ sessionId: Id, words: z.array(z.string().min(2).max(200)).min(1).max(8) }))
    .query(async ({ ctx, input }) =>
      searchPayloads(await requireLogPlace(ctx.scope.projectId, input.sessionId), input.words),
    ),

  files: procedureFor('read')
    .input(z.object({ sessionId: Id }))
    .query(async ({ ctx, input }) =>
      loadWatchedFiles(await requireLogPlace(ctx.scope.projectId, input.sessionId)),
    ),

  /** A page of plans, newest first; the number of the oldest one requests the next page. */
  plans: procedureFor('read')
    .input(z.object({ sessionId: Id, cursor: Seq.nullish() }))
    .query(async ({ ctx, input }) =>
      loadPlanUpdates(
        await requireLogPlace(ctx.scope.projectId, input.sessionId),
        input.cursor ?? LAST_SEQ,
      ),
    ),

  fold: procedureFor('read')
    .input(z.object({ sessionId: Id, seq: Seq, ...ASKED_EVENTS }))
    .query(({ ctx, input }) => foldAt(ctx.scope, input)),

  foldEvents: procedureFor('read')
    .input(z.object({ sessionId: Id, afterSeq: Seq, ...ASKED_EVENTS }))
    .query(({ ctx, input }) => foldEvents(ctx.scope, input)),

  foldConfig: procedureFor('read')
    .input(z.object({ sessionId: Id, digest: z.string().max(80) }))
    .query(({ ctx, input }) => foldConfig(ctx.scope, input)),

  stateDigest: procedureFor('read')
    .input(z.object({ sessionId: Id, seq: Seq }))
    .query(({ ctx, input }) => stateDigest(ctx.scope, input)),
})
