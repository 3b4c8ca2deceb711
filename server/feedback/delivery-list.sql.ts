import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import type { FilterOf, RowOf } from '@/server/platform/list/define-list.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { sqlList } from '@/server/platform/sql/sql-list.ts'
import { writePromptTerm, writeVersionTerm } from '@/server/sessions/prompt-terms.sql.ts'
import {
  demoTerm,
  OF_SESSION,
  VERSION_OF_DIGEST,
  withoutDemo,
} from '@/server/sessions/recorded-fields.sql.ts'
import { DELIVERIES, MOST_UNLISTED } from './deliveries.list.ts'

export type DeliveryFacts = RowOf<typeof DELIVERIES>
export type DeliveryFilter = FilterOf<typeof DELIVERIES>

const PROMPT = "ns || '/' || key"

const isFollowed = (word: string, bind: (value: unknown) => string): string =>
  word === 'any' ? "coalesce(followed, 'unknown') <> 'unknown'" : `followed = ${bind(word)}`

export const deliveryList = sqlList(DELIVERIES, {
  tables: 'deliveries',
  row: 'deliveries',
  columns: {
    id: 'id',
    at: epochMs('at'),
    environment: 'environment',
    prompt: PROMPT,
    ns: 'ns',
    key: 'key',
    sessionId: 'session_id',
    seq: 'seq',
    provider: 'provider',
    name: 'name',
    severity: 'severity',
    followed: 'followed',
    says: 'says',
  },
  params: {
    environment: (name, bind) => `environment = ${bind(name)}`,
    provider: (provider, bind) => `provider = ${bind(provider)}`,
    name: (name, bind) => `name = ${bind(name)}`,
    severity: (severity, bind) => `severity = ${bind(severity)}`,
    followed: isFollowed,
    prompt: writePromptTerm,
    version: writeVersionTerm,
  },
  fields: {
    texts: {
      provider: 'provider',
      name: 'name',
      prompt: PROMPT,
      env: 'environment',
      ...OF_SESSION,
    },
    choices: {
      severity: (severity, bind) => `severity = ${bind(severity)}`,
      followed: isFollowed,
      demo: demoTerm('session_id'),
    },
    numbers: { version: VERSION_OF_DIGEST, at: epochMs('at') },
    row: `says || ' ' || name || ' ' || provider || ' ' || ${PROMPT}`,
  },
  orders: { newest: 'deliveries.at', oldest: 'deliveries.at' },
  range: 'at',
  also: withoutDemo('session_id'),
})

export async function findDelivery(
  projectId: AuthorizedProjectId,
  id: string,
): Promise<DeliveryFacts | null> {
  const [delivery] = await readRows<DeliveryFacts>(
    `SELECT ${deliveryList.columns} FROM deliveries WHERE project_id = $1 AND id = $2`,
    [projectId, id],
  )
  return delivery ?? null
}

/** Sessions with feedback from before this list existed, each count at most `MOST_UNLISTED`. */
export interface UnlistedSessions {
  /** Number of sessions that a job has yet to list. */
  readonly waiting: number
  /** Number of sessions whose events were removed before that. */
  readonly gone: number
}

export async function unlistedSessions(projectId: AuthorizedProjectId): Promise<UnlistedSessions> {
  const [found = { waiting: 0, gone: 0 }] = await readRows<UnlistedSessions>(
    `SELECT count(*) FILTER (WHERE events_removed_at IS NULL)::int AS waiting,
       count(*) FILTER (WHERE events_removed_at IS NOT NULL)::int AS gone
     FROM (SELECT events_removed_at FROM sessions WHERE project_id = $1 AND listed_seq < rolled_seq
       ORDER BY id LIMIT ${MOST_UNLISTED}) behind`,
    [projectId],
  )
  return found
}
