import { z } from 'zod'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { loadLogLines } from '@/server/sessions/export-session.ts'
import { sessionList } from '@/server/sessions/session-filter.sql.ts'
import { managed } from './manage-gate.ts'
import { PageQuery } from './operation.ts'

const Seq = z.coerce.number().pipe(z.int().min(0).max(2_147_483_647))

const EXAMPLE_EVENT = {
  session: 'sess_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  seq: 1,
  at: 1_795_000_000_000,
  type: 'note',
  data: { text: 'hi' },
}

export const EVENT_ENDPOINTS = [
  managed(
    {
      method: 'GET',
      path: '/api/manage/v1/sessions/{id}/events',
      group: 'Records',
      summary: 'List the events of a session',
      description:
        'Returns the log as the runtime sent it, with every digit and escape, so that its hash chain can be verified.',
      scope: 'sessions:read',
      query: z.object({
        after: Seq.default(0).describe('`next` of the previous page: a sequence number.'),
        limit: PageQuery.shape.limit.describe('Maximum number of events.'),
      }),
      answers: {
        200: {
          description: 'A page.',
          schema: z.object({
            rows: z.array(
              z.looseObject({
                session: z.string(),
                seq: z.int(),
                at: z.number(),
                type: z.string(),
                data: z.unknown(),
              }),
            ),
            next: z.string().nullable(),
          }),
          example: { rows: [EXAMPLE_EVENT], next: null },
        },
      },
    },
    async ({ scope, parameters: { id }, query: { after: afterSeq, limit } }) => {
      const { environment } = scope
      if ((await sessionList.find(scope, { environment }, id)) === null) {
        throw new ServiceError('not_found', `There is no session ${id}.`)
      }
      const { lines, next } = await loadLogLines(scope, id, { afterSeq, limit })
      const last = JSON.stringify(next === null ? null : String(next))
      return new Response(`{"rows":[${lines.join(',')}],"next":${last}}`, {
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      })
    },
  ),
]
