// What the Overview reads: counts of the last two days by hour, live sessions, releases, and what may need attention.
// Each is one indexed query over the caller's project.
import 'server-only'
import { IMPORTED_SESSION_START } from '@signalbox/wire'
import type { ProjectScope } from '../auth/scope.ts'
import { reader } from '../repositories/transaction.ts'

export interface HourCounts {
  /** Start of the hour, epoch ms. */
  readonly hour: number
  readonly calls: number
  readonly denied: number
  readonly stops: number
  readonly blocked: number
  readonly bypassed: number
  readonly sessions: number
}

export interface OverviewFilter {
  /** Absent: all environments. */
  readonly environment?: string | undefined
  /** Epoch ms. */
  readonly since: number
}

/** Hours without a count are left out; the caller fills them with zeros. */
export async function countsByHour(
  scope: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<readonly HourCounts[]> {
  return await reader().$queryRaw<HourCounts[]>`
    SELECT (extract(epoch FROM date_trunc('hour', minute, 'UTC')) * 1000)::float8 AS hour,
      sum(calls)::int AS calls, sum(denied)::int AS denied, sum(stops)::int AS stops,
      sum(blocked)::int AS blocked, sum(bypassed)::int AS bypassed, sum(sessions)::int AS sessions
    FROM minute_counts
    WHERE project_id = ${scope.projectId} AND minute >= ${new Date(since)}
      AND (${environment ?? null}::text IS NULL OR environment = ${environment ?? null})
    GROUP BY 1 ORDER BY 1`
}

export type CountsOf = Pick<HourCounts, 'calls' | 'denied' | 'stops' | 'blocked'>

/** Whole minutes from `since` on, before `until`. */
export async function countsBetween(
  scope: ProjectScope,
  { environment, since, until }: OverviewFilter & { readonly until: number },
): Promise<CountsOf> {
  const [row] = await reader().$queryRaw<CountsOf[]>`
    SELECT coalesce(sum(calls), 0)::int AS calls, coalesce(sum(denied), 0)::int AS denied,
      coalesce(sum(stops), 0)::int AS stops, coalesce(sum(blocked), 0)::int AS blocked
    FROM minute_counts
    WHERE project_id = ${scope.projectId} AND minute >= ${new Date(since)} AND minute < ${new Date(until)}
      AND (${environment ?? null}::text IS NULL OR environment = ${environment ?? null})`
  return row ?? { calls: 0, denied: 0, stops: 0, blocked: 0 }
}

function whereOf(scope: ProjectScope, environment: string | undefined) {
  return { projectId: scope.projectId, ...(environment === undefined ? {} : { environment }) }
}

export interface RecentRelease {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly version: number
  readonly kind: 'publish' | 'promote' | 'rollback'
  readonly revision: number
  readonly note: string | null
  readonly at: number
}

export async function recentReleases(
  scope: ProjectScope,
  environment: string | undefined,
): Promise<readonly RecentRelease[]> {
  const rows = await reader().release.findMany({
    where: {
      projectId: scope.projectId,
      ...(environment === undefined ? {} : { environment: { name: environment } }),
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: 10,
    include: {
      environment: { select: { name: true } },
      config: { select: { ns: true, key: true } },
      version: { select: { number: true } },
    },
  })
  return rows.map(({ id, kind, revision, note, createdAt, ...row }) => ({
    id,
    kind,
    revision,
    note,
    at: createdAt.getTime(),
    ns: row.config.ns,
    key: row.config.key,
    environment: row.environment.name,
    version: row.version.number,
  }))
}

export interface TroubledSession {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly at: number
  readonly stopsBlocked: number
  readonly lastStopId: string | null
  readonly divergedSeq: number | null
  readonly breachCount: number
}

type Trouble = 'diverged' | 'breached' | 'blocked' | 'error'

/** A session that diverged or was breached, was blocked three times or more, or whose stop could not be evaluated, since `since`. */
export async function troubledSessions(
  scope: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<readonly (TroubledSession & { readonly trouble: Trouble })[]> {
  const select = {
    id: true,
    ns: true,
    key: true,
    lastEventAt: true,
    stopsBlocked: true,
    lastStopId: true,
    divergedSeq: true,
    breachCount: true,
  } as const
  const find = async (
    trouble: Trouble,
    condition:
      | { verification: 'diverged' }
      | { enforcement: 'breach'; NOT: { id: { startsWith: string } } }
      | { lastVerdict: string; stopsBlocked?: { gte: number } },
  ) => {
    const rows = await reader().session.findMany({
      where: {
        ...whereOf(scope, environment),
        startedAt: { gte: new Date(since) },
        ...condition,
      },
      orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
      take: 7,
      select,
    })
    return rows.map(({ lastEventAt, ...row }) => ({ ...row, trouble, at: lastEventAt.getTime() }))
  }
  const [diverged, breached, errors, blocked] = await Promise.all([
    find('diverged', { verification: 'diverged' }),
    // In an imported session nothing was to be enforced: it needs nobody's attention.
    find('breached', {
      enforcement: 'breach',
      NOT: { id: { startsWith: IMPORTED_SESSION_START } },
    }),
    find('error', { lastVerdict: 'error' }),
    find('blocked', { lastVerdict: 'blocked', stopsBlocked: { gte: 3 } }),
  ])
  return [...diverged, ...breached, ...errors, ...blocked]
}

/** The three steps of the first run, ticked by what is there. */
export async function firstSteps(scope: ProjectScope): Promise<{
  readonly hasRuntime: boolean
  readonly hasRelease: boolean
  readonly hasSession: boolean
}> {
  const where = { projectId: scope.projectId }
  const select = { id: true } as const
  const [runtime, release, session] = await Promise.all([
    reader().runtime.findFirst({ where, select }),
    reader().release.findFirst({ where, select }),
    reader().session.findFirst({ where, select }),
  ])
  return {
    hasRuntime: runtime !== null,
    hasRelease: release !== null,
    hasSession: session !== null,
  }
}
