import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { countDeadLetters, listDeadLetters, type StoredLetter } from './dead-letters.sql.ts'
import { eventLog } from './event-log.ts'

const MOST_LISTED = 100
const MOST_SHOWN = 2_000

export interface ListedLetter extends Omit<StoredLetter, 'body'> {
  /** Its first lines of NDJSON; null: deleted with the project. */
  readonly text: string | null
}

function toListed({ body, ...letter }: StoredLetter): ListedLetter {
  const text = body === null ? null : gunzipSync(body).toString('utf8').slice(0, MOST_SHOWN)
  return { ...letter, text }
}

export const eventLogRouter = router({
  /** Null: the installation has no event log. */
  state: procedureFor('read').query(() => eventLog()?.state ?? null),
  deadLetters: procedureFor('read')
    .input(z.object({ environment: z.string().max(64).optional() }).default({}))
    .query(async ({ ctx: { scope }, input: { environment } }) => {
      const [counts, letters] = await Promise.all([
        countDeadLetters(scope.projectId, { environment, since: 0 }),
        listDeadLetters(scope.projectId, { environment, limit: MOST_LISTED }),
      ])
      return { ...counts, listed: letters.map(toListed) }
    }),
})
