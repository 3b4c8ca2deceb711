// What the Overview reads: counts of the last two days by hour, live sessions, releases, and what may need attention.
// Each is one indexed query over the caller's project.
import 'server-only'
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

export interface LiveSession {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly configVersion: number | null
  readonly runtimeId: string | null
  readonly startedAt: number
  readonly lastEventAt: number
  readonly lastEventText: string | null
  readonly deadlineAt: number | null
  readonly planDone: number | null
  readonly planTotal: number | null
  readonly denied: number
  readonly stopsBlocked: number
  readonly lastVerdict: string | null
  readonly lastStopId: string | null
}

function whereOf(scope: ProjectScope, environment: string | undefined) {
  return { projectId: scope.projectId, ...(environment === undefined ? {} : { environment }) }
}

/** `since`: sessions that sent nothing since then are not live. */
export async function liveSessions(
  scope: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<{ readonly count: number; readonly newest: readonly LiveSession[] }> {
  const where = {
    ...whereOf(scope, environment),
    endedAt: null,
    receivedAt: { gte: new Date(since) },
  }
  const [count, rows] = await Promise.all([
    reader().session.count({ where }),
    reader().session.findMany({
      where,
      orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
      take: 10,
      select: {
        id: true,
        ns: true,
        key: true,
        environment: true,
        configVersion: true,
        runtimeId: true,
        startedAt: true,
        lastEventAt: true,
        lastEventText: true,
        deadlineAt: true,
        planDone: true,
        planTotal: true,
        denied: true,
        stopsBlocked: true,
        lastVerdict: true,
        lastStopId: true,
      },
    }),
  ])
  const newest = rows.map((row) => ({
    ...row,
    startedAt: row.startedAt.getTime(),
    lastEventAt: row.lastEventAt.getTime(),
    deadlineAt: row.deadlineAt?.getTime() ?? null,
  }))
  return { count, newest }
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
      | { enforcement: 'breach' }
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
    find('breached', { enforcement: 'breach' }),
    find('error', { lastVerdict: 'error' }),
    find('blocked', { lastVerdict: 'blocked', stopsBlocked: { gte: 3 } }),
  ])
  return [...diverged, ...breached, ...errors, ...blocked]
}

/** Sessions that stopped sending without an end between the two times. */
export async function countLost(
  scope: ProjectScope,
  filter: OverviewFilter & { readonly until: number },
): Promise<number> {
  return await reader().session.count({
    where: {
      ...whereOf(scope, filter.environment),
      endedAt: null,
      receivedAt: { gte: new Date(filter.since), lt: new Date(filter.until) },
    },
  })
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
