// The sessions list for a person: pages, rows by id, how many there are, what narrows most, and the whole list as a file.
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import {
  type Cells,
  EXPORT_PAGE,
  fileOfList,
  instant,
  type ListFormat,
} from '@/server/platform/list-file.ts'
import { placeOf } from '@/server/platform/sql/keyset.ts'
import type { SessionFacts } from './session-columns.sql.ts'
import type { SessionFilter } from './session-filter.sql.ts'
import {
  countSessions,
  findSessions,
  listSessions,
  type Narrowing,
  narrowings,
  type SessionOrder,
  type SessionPage,
  type SessionPatch,
} from './session-list.sql.ts'

export interface AskedFilter extends Omit<SessionFilter, 'madeBy'> {
  /** Only what ran with a key of mine. */
  readonly mine?: boolean | undefined
}

/** As the person means it. */
export function filterFor(scope: ProjectScope, { mine, ...filter }: AskedFilter): SessionFilter {
  return mine === true ? { ...filter, madeBy: scope.userId } : filter
}

export interface WantedSessions {
  readonly filter: AskedFilter
  readonly order: SessionOrder
}

/** A cursor that was typed by hand starts at the top. */
export async function sessionPage(
  scope: ProjectScope,
  { filter, order }: WantedSessions,
  page: { readonly cursor: string | null; readonly limit: number },
): Promise<SessionPage> {
  const after = page.cursor === null ? null : placeOf(page.cursor)
  const { limit } = page
  return await listSessions(scope.projectId, filterFor(scope, filter), { after, limit, order })
}

/** The named rows as they are now, and whether each belongs to the filtered list. */
export async function sessionRows(
  scope: ProjectScope,
  filter: AskedFilter,
  ids: readonly string[],
): Promise<readonly SessionPatch[]> {
  return await findSessions(scope.projectId, filterFor(scope, filter), ids)
}

export async function sessionTotal(scope: ProjectScope, filter: AskedFilter): Promise<number> {
  return await countSessions(scope.projectId, filterFor(scope, filter))
}

export async function sessionNarrowings(
  scope: ProjectScope,
  filter: AskedFilter,
): Promise<readonly Narrowing[]> {
  return await narrowings(scope.projectId, filterFor(scope, filter))
}

const HEAD = [
  ...['session', 'environment', 'prompt', 'status', 'activity', 'version', 'live_version'],
  ...['runtime', 'harness', 'started_at', 'ended_at', 'end_reason', 'deadline_at'],
  ...['tokens_used', 'token_limit', 'plan_done', 'plan_total', 'calls', 'denied', 'feedback'],
  ...['warnings', 'stop_attempts', 'stops_blocked', 'last_verdict', 'last_stop'],
  ...['last_stop_reason', 'last_event_at', 'last_event', 'verification', 'enforcement'],
] as const

function cellsOf(session: SessionFacts): Cells<(typeof HEAD)[number]> {
  return {
    session: session.id,
    environment: session.environment,
    prompt: `${session.ns}/${session.key}`,
    status: session.status,
    activity: session.activity,
    version: session.configVersion,
    live_version: session.liveVersion,
    runtime: session.runtimeName,
    harness: [session.harness.name, session.harness.version].filter(Boolean).join(' ') || null,
    started_at: instant(session.startedAt),
    ended_at: instant(session.endedAt),
    end_reason: session.endReason,
    deadline_at: instant(session.deadlineAt),
    tokens_used: session.tokensUsed,
    token_limit: session.tokenLimit,
    plan_done: session.planDone,
    plan_total: session.planTotal,
    calls: session.calls,
    denied: session.denied,
    feedback: session.feedback,
    warnings: session.warnings,
    stop_attempts: session.stopAttempts,
    stops_blocked: session.stopsBlocked,
    last_verdict: session.lastVerdict,
    last_stop: session.lastStopId,
    last_stop_reason: session.lastStopReason,
    last_event_at: instant(session.lastEventAt),
    last_event: session.lastEventText,
    verification:
      session.verification === 'verified_to'
        ? `verified to #${session.contiguousSeq}`
        : session.verification,
    enforcement: session.enforcement,
  }
}

/** Every session of the filtered list, in its order. */
export function exportSessions(
  scope: ProjectScope,
  wanted: WantedSessions,
  format: ListFormat,
): AsyncGenerator<string> {
  return fileOfList(format, {
    head: HEAD,
    cellsOf,
    pageAfter: async (cursor) => {
      const page = await sessionPage(scope, wanted, { cursor, limit: EXPORT_PAGE })
      return { rows: page.sessions, next: page.nextCursor }
    },
  })
}
