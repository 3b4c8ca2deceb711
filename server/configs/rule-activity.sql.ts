// Counts of fired rules and of calls per tool for a prompt: sums of days, never a scan of events.
import 'server-only'
import { Prisma } from '@/server/platform/db/generated/client.ts'
import { reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'

export interface ActivitySum {
  readonly kind: 'rule' | 'tool' | 'session'
  readonly name: string
  readonly count: number
  readonly lastAt: number
}

const MOST_NAMES = 5_000

export interface ActivityOf {
  readonly projectId: AuthorizedProjectId
  readonly ns: string
  readonly key: string
  /** First day counted, `YYYY-MM-DD` in UTC. */
  readonly since: string
  /** Absent: all environments together. */
  readonly environment?: string | undefined
}

export async function sumActivity(of: ActivityOf): Promise<readonly ActivitySum[]> {
  const { projectId, ns, key, since, environment = null } = of
  return await reader().$queryRaw<ActivitySum[]>`
    SELECT kind, name, sum(count)::int AS count,
      (extract(epoch FROM max(last_at)) * 1000)::float8 AS "lastAt"
    FROM all_activity_days
    WHERE project_id = ${projectId} AND ns = ${ns} AND key = ${key} AND day >= ${since}::date
      AND (${environment}::text IS NULL OR environment = ${environment})
    GROUP BY kind, name
    ORDER BY name, kind
    LIMIT ${MOST_NAMES}`
}

/** Counts of the prompt's newest sessions in which a check could have run, and of those among them that had a plan. */
export interface SeenPlans {
  readonly sessions: number
  readonly planned: number
}

const PLANS_OF_SESSIONS = 50

export async function countPlans(
  of: Pick<ActivityOf, 'projectId' | 'ns' | 'key'>,
): Promise<SeenPlans> {
  const { projectId, ns, key } = of
  const [counts = { sessions: 0, planned: 0 }] = await reader().$queryRaw<SeenPlans[]>`
    SELECT count(*)::int AS sessions, (count(*) FILTER (WHERE plan_total > 0))::int AS planned
    FROM (SELECT plan_total, ended_at, last_verdict FROM sessions
      WHERE project_id = ${projectId} AND ns = ${ns} AND key = ${key} AND ${Prisma.raw(countedTerm('id'))}
      ORDER BY started_at DESC LIMIT ${PLANS_OF_SESSIONS}) newest
    WHERE ended_at IS NOT NULL OR last_verdict IS NOT NULL`
  return counts
}

/** Texts of versions that have been live in an environment since before `before` (epoch ms). */
export async function listSettledTexts(
  configId: string,
  before: number,
): Promise<readonly string[]> {
  const pointers = await reader().environmentPointer.findMany({
    where: { configId, updatedAt: { lt: new Date(before) } },
    select: { version: { select: { text: true } } },
  })
  return pointers.map(({ version }) => version.text)
}
