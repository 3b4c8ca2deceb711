import { DEMO_RUNTIME } from '@signalbox/wire'
import { alertList, type ListedAlert } from '@/server/alerts/alert-list.sql.ts'
import { readChain } from '@/server/audit-log/audit-chain.sql.ts'
import { type DraftBehind, draftsBehind } from '@/server/configs/drafts-behind.sql.ts'
import { countDeadLetters } from '@/server/event-log/dead-letters.sql.ts'
import { eventLog } from '@/server/event-log/event-log.ts'
import { EXPIRY_WARNING_MS } from '@/server/people/keys.ts'
import { listExpiringKeys } from '@/server/platform/auth/keys.sql.ts'
import { may } from '@/server/platform/auth/permissions.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { loadRises } from '@/server/releases/release-effects.sql.ts'
import { listSchedules } from '@/server/releases/schedule-list.sql.ts'
import { type ListedRuntime, loadRuntimes } from '@/server/runtimes/runtime-list.ts'
import { NOT_IMPORTED } from '@/server/sessions/counted-sessions.ts'
import { sessionList } from '@/server/sessions/session-filter.sql.ts'
import { countSessions } from '@/server/sessions/session-list.sql.ts'
import { listRolledBack } from '@/server/staged-rollouts/staged-rollout-overview.sql.ts'
import {
  type BypassCounts,
  loadBypassCounts,
  loadRejectionTimes,
  loadStagedVersions,
  loadStuckSessions,
  loadTroubledSessions,
  loadUnevaluatedCalls,
  MOST_UNEVALUATED,
  type RecentRelease,
  type StagedVersion,
  type UnevaluatedCalls,
} from './overview.sql.ts'

const DAY_MS = 24 * 3_600_000
const WEEK_MS = 7 * DAY_MS
const ADOPTION_MS = 60_000

type ReleaseOfRevision = Pick<RecentRelease, 'id' | 'ns' | 'key' | 'version'>
type StagedOfRevision = Pick<StagedVersion, 'ns' | 'key' | 'version'>

export type AttentionItem =
  | {
      readonly kind: 'runtime_rejected'
      readonly at: number
      /** The release that created the revision; null: none, or it is too old. */
      readonly release: ReleaseOfRevision | null
      /** The version that a staged rollout put into the revision; null: none did. */
      readonly staged: StagedOfRevision | null
      readonly runtimeId: string
      readonly runtime: string
      readonly environment: string
      readonly revision: number
      readonly reason: string
    }
  | {
      readonly kind: 'runtime_behind'
      readonly at: number
      readonly release: ReleaseOfRevision | null
      readonly staged: StagedOfRevision | null
      readonly runtimeId: string
      readonly runtime: string
      readonly environment: string
      readonly applied: number | null
      readonly expected: number
    }
  | {
      readonly kind: 'session_diverged' | 'session_breached' | 'session_error'
      readonly at: number
      readonly sessionId: string
      readonly ns: string
      readonly key: string
      readonly stopId: string | null
      readonly divergedSeq: number | null
      readonly breachCount: number
    }
  | {
      readonly kind: 'session_blocked'
      readonly at: number
      readonly sessionId: string
      readonly environment: string
      readonly ns: string
      readonly key: string
      readonly check: string
      readonly times: number
      readonly stopId: string
      readonly reason: string
    }
  /** One item for each rule of a prompt in an environment. `decisionId`, `tool` and `reason` are of the newest call. */
  | (UnevaluatedCalls & {
      readonly kind: 'calls_unevaluated'
      readonly isMore: boolean
    })
  | {
      readonly kind: 'schedule_refused'
      readonly at: number
      readonly scheduleId: string
      readonly ns: string
      readonly key: string
      readonly environment: string
      readonly reason: string
    }
  | {
      readonly kind: 'rollout_rolled_back'
      readonly at: number
      readonly ns: string
      readonly key: string
      readonly environment: string
      readonly version: number
      readonly reason: string
      /** False: it was refused, and is tried again. */
      readonly isDone: boolean
    }
  /** `ns`, `key`, `sessionId`: of the newest lost session. */
  | {
      readonly kind: 'sessions_lost'
      readonly at: number
      readonly ns: string
      readonly key: string
      readonly count: number
      readonly sessionId: string
    }
  /** Only the reader's own drafts. */
  | (DraftBehind & { readonly kind: 'draft_behind' })
  /** `before` and `after`: shares of denied calls before and since the release, from 0 to 1. */
  | {
      readonly kind: 'denials_rose'
      readonly at: number
      readonly releaseId: string
      readonly environment: string
      readonly ns: string
      readonly key: string
      readonly version: number
      readonly before: number
      readonly after: number
      /** Since the release. */
      readonly denied: number
      readonly calls: number
    }
  | (BypassCounts & { readonly kind: 'bypasses_rose' })
  /** Only for readers of the audit log. */
  | {
      readonly kind: 'audit_broken'
      readonly at: number
      readonly entryId: string | null
      readonly position: number
    }
  | {
      readonly kind: 'alert_firing'
      readonly at: number
      readonly alertId: string
      readonly rule: string
      readonly signal: ListedAlert['signal']
      /** Names environment, and config or runtime; `readScope` parses it. */
      readonly scope: string
      readonly reason: string
      readonly evidence: string
    }
  /** The event log takes no events, or is far behind. `problem` null: it takes events. */
  | {
      readonly kind: 'event_log_behind'
      readonly at: number
      readonly problem: string | null
      readonly lagMs: number
    }
  /** Acknowledged events may be lost with the power of the event log's servers, which the operator accepts. */
  | { readonly kind: 'event_log_unsafe'; readonly at: number; readonly weakness: string }
  | { readonly kind: 'dead_letters'; readonly at: number; readonly events: number }
  /** Only for users who may act on it. `at`: time of expiry. */
  | {
      readonly kind: 'key_expiring'
      readonly at: number
      readonly keyId: string
      readonly name: string
    }

interface Since {
  /** Absent: all environments. */
  readonly environment: string | undefined
  readonly since: number
}

export async function attentionItems(
  scope: ProjectScope,
  { environment, now }: { readonly environment: string | undefined; readonly now: number },
  releases: readonly RecentRelease[],
): Promise<readonly AttentionItem[]> {
  const day: Since = { environment, since: now - DAY_MS }
  const found = await Promise.all([
    brokenChain(scope),
    runtimeItems(scope, { environment, now, releases }),
    rolledBackItems(scope, day),
    refusedSchedules(scope, environment),
    troubledItems(scope, day),
    unevaluatedItems(scope, day),
    stuckItems(scope, day),
    bypassItems(scope, environment, now),
    roseItems(scope, { environment, since: now - WEEK_MS }),
    lostItems(scope, day),
    draftItems(scope, environment),
    firingAlerts(scope, environment),
    eventLogItems(now),
    deadLetterItems(scope, { environment, since: now - WEEK_MS }),
    expiringItems(scope, now),
  ])
  return omitRepeated(found.flat(), day.since)
}

/** An alert about lost sessions repeats the item that counts the lost sessions of all configs. */
function omitRepeated(items: readonly AttentionItem[], since: number): readonly AttentionItem[] {
  if (items.every(({ kind }) => kind !== 'sessions_lost')) return items
  return items.filter(
    (item) => item.kind !== 'alert_firing' || item.signal !== 'lost_sessions' || item.at < since,
  )
}

async function runtimeItems(
  scope: ProjectScope,
  asked: {
    readonly environment: string | undefined
    readonly now: number
    readonly releases: readonly RecentRelease[]
  },
): Promise<readonly AttentionItem[]> {
  const runtimes = await loadRuntimes(scope, asked.environment)
  const rejected = runtimes.filter(({ sync }) => sync === 'rejected').map(({ id }) => id)
  const revisions = [...new Set(runtimes.map(({ expectedRevision }) => expectedRevision))]
  const [rejectedAt, staged] = await Promise.all([
    loadRejectionTimes(scope, rejected),
    loadStagedVersions(scope, revisions),
  ])
  return runtimes.flatMap((runtime) => {
    const isThere = ({ environment }: { readonly environment: string }): boolean =>
      environment === runtime.environment
    const there = { releases: asked.releases.filter(isThere), staged: staged.filter(isThere) }
    const at = rejectedAt.get(runtime.id)
    return runtimeItem(runtime, there, asked.now).map((item) =>
      at === undefined ? item : { ...item, at },
    )
  })
}

/** A runtime without prompts may host any. */
function hosts(
  { prompts }: Pick<ListedRuntime, 'prompts'>,
  { ns, key }: Pick<RecentRelease, 'ns' | 'key'>,
): boolean {
  return prompts.length === 0 || prompts.includes(`${ns}/${key}`)
}

/** The newest release that the runtime lacks, of a prompt that it names. A later one of another prompt made the expected revision. */
function findMissingRelease(
  runtime: ListedRuntime,
  releases: readonly RecentRelease[],
): RecentRelease | undefined {
  if (runtime.prompts.length === 0) return undefined
  const applied = runtime.appliedRevision ?? 0
  return releases.find((one) => one.revision > applied && hosts(runtime, one))
}

function runtimeItem(
  runtime: ListedRuntime,
  {
    releases,
    staged,
  }: { readonly releases: readonly RecentRelease[]; readonly staged: readonly StagedVersion[] },
  now: number,
): readonly AttentionItem[] {
  if (runtime.connection === 'disconnected' || runtime.name === DEMO_RUNTIME) return []
  const { id: runtimeId, name, environment, expectedRevision: expected, lastSeenAt } = runtime
  const isExpected = (one: Pick<RecentRelease, 'ns' | 'key' | 'revision'>): boolean =>
    one.revision === expected && hosts(runtime, one)
  const stagedThere = staged.find(isExpected) ?? null
  const released =
    releases.find(isExpected) ??
    (stagedThere === null ? findMissingRelease(runtime, releases) : undefined)
  const known = {
    at: released?.at ?? lastSeenAt,
    runtimeId,
    runtime: name,
    environment,
    release:
      released === undefined
        ? null
        : { id: released.id, ns: released.ns, key: released.key, version: released.version },
    staged: stagedThere,
  }
  if (runtime.sync === 'rejected') {
    const reason = runtime.rejectedReason ?? ''
    return [{ kind: 'runtime_rejected', ...known, revision: expected, reason }]
  }
  const isLate = runtime.sync === 'behind' || runtime.sync === 'nothing_applied'
  const releasedAt = releases[0]?.at ?? 0
  if (!isLate || now - Math.max(releasedAt, runtime.registeredAt) < ADOPTION_MS) return []
  return [{ kind: 'runtime_behind', ...known, applied: runtime.appliedRevision, expected }]
}

async function rolledBackItems(
  { projectId }: ProjectScope,
  { environment, since }: Since,
): Promise<readonly AttentionItem[]> {
  const rolledBack = await listRolledBack(projectId, since)
  return rolledBack
    .filter((row) => isIn(row, environment))
    .map((row) => ({ kind: 'rollout_rolled_back', ...row }))
}

/** A refused planned release stays listed until a user dismisses it. */
async function refusedSchedules(
  scope: ProjectScope,
  environment: string | undefined,
): Promise<readonly AttentionItem[]> {
  const planned = await listSchedules(scope)
  return planned
    .filter((row) => row.state === 'refused' && isIn(row, environment))
    .map(({ id: scheduleId, ns, key, environment: place, reason, settledAt, dueAt }) => ({
      kind: 'schedule_refused',
      at: settledAt ?? dueAt,
      scheduleId,
      ns,
      key,
      environment: place,
      reason: reason ?? '',
    }))
}

function isIn(row: { readonly environment: string }, environment: string | undefined): boolean {
  return environment === undefined || row.environment === environment
}

const SESSION_KIND = {
  diverged: 'session_diverged',
  breached: 'session_breached',
  error: 'session_error',
} as const

async function troubledItems(scope: ProjectScope, day: Since): Promise<readonly AttentionItem[]> {
  const troubled = await loadTroubledSessions(scope, day)
  return troubled.map(({ id: sessionId, trouble, lastStopId: stopId, ...row }) => ({
    ...row,
    kind: SESSION_KIND[trouble],
    sessionId,
    stopId,
  }))
}

async function lostItems(scope: ProjectScope, day: Since): Promise<readonly AttentionItem[]> {
  const lost = { ...day, status: 'lost', terms: NOT_IMPORTED } as const
  const [count, { rows }] = await Promise.all([
    countSessions(scope.projectId, lost),
    sessionList.page(scope, { filter: lost, limit: 1 }),
  ])
  return rows.map(({ id: sessionId, ns, key, lastEventAt: at }) => ({
    kind: 'sessions_lost',
    at,
    ns,
    key,
    count,
    sessionId,
  }))
}

async function draftItems(
  scope: ProjectScope,
  environment: string | undefined,
): Promise<readonly AttentionItem[]> {
  const drafts = await draftsBehind(scope, environment)
  return drafts.map((draft) => ({ kind: 'draft_behind', ...draft }))
}

async function expiringItems(scope: ProjectScope, now: number): Promise<readonly AttentionItem[]> {
  if (!may(scope.role, 'key.manage')) return []
  const keys = await listExpiringKeys(scope, now + EXPIRY_WARNING_MS)
  return keys.map(({ id: keyId, name, expiresAt: at }) => ({
    kind: 'key_expiring',
    at,
    keyId,
    name,
  }))
}

/** Growth of the share of denied calls that is reported. */
const DENIAL_FACTOR = 2

async function roseItems(scope: ProjectScope, since: Since): Promise<readonly AttentionItem[]> {
  const rises = await loadRises(scope, { ...since, factor: DENIAL_FACTOR })
  return rises.map(({ before, after: { calls, denied }, ...release }) => ({
    kind: 'denials_rose',
    ...release,
    before: before.denied / before.calls,
    after: denied / calls,
    denied,
    calls,
  }))
}

/** Fewer bypassed stops in a day are not reported. */
const FEWEST_BYPASSED = 3
/** Growth of the share of bypassed stop attempts that is reported. */
const BYPASS_FACTOR = 3
const HOUR_MS = 3_600_000

async function bypassItems(
  scope: ProjectScope,
  environment: string | undefined,
  now: number,
): Promise<readonly AttentionItem[]> {
  const since = Math.floor(now / HOUR_MS) * HOUR_MS - DAY_MS + HOUR_MS
  const counts = await loadBypassCounts(scope, { environment, since, fewest: FEWEST_BYPASSED })
  return counts
    .filter(
      // Shares compared as products, because the day before may have no stop.
      ({ before, after }) =>
        after.bypassed * before.stops >= BYPASS_FACTOR * before.bypassed * after.stops,
    )
    .map((row) => ({ kind: 'bypasses_rose', ...row }))
}

async function stuckItems(scope: ProjectScope, day: Since): Promise<readonly AttentionItem[]> {
  const stuck = await loadStuckSessions(scope, day)
  return stuck.map((session) => ({ kind: 'session_blocked', ...session }))
}

async function unevaluatedItems(
  scope: ProjectScope,
  day: Since,
): Promise<readonly AttentionItem[]> {
  const groups = await loadUnevaluatedCalls(scope, day)
  const isMore = groups.reduce((sum, { count }) => sum + count, 0) >= MOST_UNEVALUATED
  return groups.map((group) => ({ kind: 'calls_unevaluated', ...group, isMore }))
}

const MOST_ALERTS = 50

async function firingAlerts(
  scope: ProjectScope,
  environment: string | undefined,
): Promise<readonly AttentionItem[]> {
  const filter = { state: 'firing', environment } as const
  const { rows: alerts } = await alertList.page(scope, { filter, limit: MOST_ALERTS })
  return alerts.map(
    ({ id: alertId, firedAt: at, rule, signal, scope: where, reason, evidence }) => ({
      kind: 'alert_firing',
      at,
      alertId,
      rule,
      signal,
      scope: where,
      reason,
      evidence,
    }),
  )
}

/** Age of the oldest batch in the event log at which its lag needs attention. */
const LAG_MS = 60_000

function eventLogItems(now: number): readonly AttentionItem[] {
  const state = eventLog()?.state
  if (state === undefined) return []
  const { problem, weakness, lagMs } = state
  return [
    ...(problem !== null || lagMs > LAG_MS
      ? [{ kind: 'event_log_behind' as const, at: now - lagMs, problem, lagMs }]
      : []),
    ...(weakness === null ? [] : [{ kind: 'event_log_unsafe' as const, at: now, weakness }]),
  ]
}

async function deadLetterItems(
  { projectId }: ProjectScope,
  week: Since,
): Promise<readonly AttentionItem[]> {
  const { events, newestAt: at } = await countDeadLetters(projectId, week)
  return at === null ? [] : [{ kind: 'dead_letters', at, events }]
}

async function brokenChain(scope: ProjectScope): Promise<readonly AttentionItem[]> {
  if (!may(scope.role, 'member.manage')) return []
  const chain = await readChain(scope.projectId)
  if (chain === null || chain.broken === null) return []
  const { entryId, position } = chain.broken
  return [{ kind: 'audit_broken', at: chain.checkedAt ?? 0, entryId, position }]
}
