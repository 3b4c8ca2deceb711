// The Overview: what needs attention, four figures over a day, releases and live sessions.
import { may } from '../auth/permissions.ts'
import type { ProjectScope } from '../auth/scope.ts'
import { listRolledBack } from '../read-models/cohorts.ts'
import {
  countLost,
  countsByHour,
  firstSteps,
  type HourCounts,
  type LiveSession,
  liveSessions,
  type RecentRelease,
  recentReleases,
  troubledSessions,
} from '../read-models/overview.ts'
import { type ListedSchedule, listSchedules } from '../read-models/schedules.ts'
import { expiringKeys } from '../repositories/keys.ts'
import { EXPIRY_WARNING_MS } from './keys.ts'
import { type ListedRuntime, runtimesOf } from './runtime-list.ts'
import { LOST_AFTER_MS } from './session-status.ts'

const HOUR = 3_600_000
const HOURS = 24
/** A runtime has this long to apply a release before that is worth a look. Milliseconds. */
const ADOPTION_MS = 60_000
const MOST_ITEMS = 7

/** Ranked by `kind` in this order. */
type AttentionItem =
  | {
      readonly kind: 'runtime_rejected'
      readonly at: number
      /** The release that brought the revision; null when none did, or one that is long past. */
      readonly releaseId: string | null
      readonly runtimeId: string
      readonly runtime: string
      readonly revision: number
      readonly reason: string
    }
  | {
      readonly kind: 'runtime_behind'
      readonly at: number
      readonly runtimeId: string
      readonly runtime: string
      readonly applied: number | null
      readonly expected: number
    }
  | {
      readonly kind: 'session_diverged' | 'session_breached' | 'session_error' | 'session_blocked'
      readonly at: number
      readonly sessionId: string
      readonly ns: string
      readonly key: string
      readonly stopId: string | null
      readonly stopsBlocked: number
      readonly divergedSeq: number | null
      readonly breachCount: number
    }
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
    }
  | { readonly kind: 'sessions_lost'; readonly at: number; readonly count: number }
  /** For those who may do something about it. `at`: when it ends. */
  | {
      readonly kind: 'key_expiring'
      readonly at: number
      readonly keyId: string
      readonly name: string
    }

/** `of` is the whole that `value` is a part of; null for plain counts. `series`: 24 hours, oldest first. */
interface Figure {
  readonly value: number
  readonly of: number | null
  readonly previousValue: number
  readonly previousOf: number | null
  readonly series: readonly { readonly hour: number; readonly value: number; readonly of: number }[]
}

export interface Overview {
  readonly at: number
  readonly attention: readonly AttentionItem[]
  readonly figures: {
    readonly liveSessions: Figure
    readonly callsDenied: Figure
    readonly stopsBlocked: Figure
    readonly stopsBypassed: Figure
  }
  readonly releases: readonly RecentRelease[]
  readonly live: readonly LiveSession[]
  readonly steps: {
    readonly hasRuntime: boolean
    readonly hasRelease: boolean
    readonly hasSession: boolean
  }
}

type Counter = Exclude<keyof HourCounts, 'hour'>

interface Days {
  /** 24 hours up to now, oldest first, without holes. */
  readonly today: readonly HourCounts[]
  readonly before: readonly HourCounts[]
}

function splitDays(counts: readonly HourCounts[], now: number): Days {
  const thisHour = Math.floor(now / HOUR) * HOUR
  const first = thisHour - (HOURS - 1) * HOUR
  const byHour = new Map(counts.map((row) => [row.hour, row]))
  const zero = { calls: 0, denied: 0, stops: 0, blocked: 0, bypassed: 0, sessions: 0 }
  const today = Array.from({ length: HOURS }, (_, i) => {
    const hour = first + i * HOUR
    return byHour.get(hour) ?? { hour, ...zero }
  })
  const before = counts.filter(({ hour }) => hour < first && hour >= first - HOURS * HOUR)
  return { today, before }
}

function sum(rows: readonly HourCounts[], counter: Counter): number {
  return rows.reduce((total, row) => total + row[counter], 0)
}

function figure({ today, before }: Days, part: Counter, whole: Counter | null): Figure {
  return {
    value: sum(today, part),
    of: whole === null ? null : sum(today, whole),
    previousValue: sum(before, part),
    previousOf: whole === null ? null : sum(before, whole),
    series: today.map((row) => ({
      hour: row.hour,
      value: row[part],
      of: whole === null ? 0 : row[whole],
    })),
  }
}

function runtimeItem(
  runtime: ListedRuntime,
  /** Of its environment, newest first. */
  releases: readonly RecentRelease[],
  now: number,
): readonly AttentionItem[] {
  if (runtime.connection === 'disconnected') return []
  const { id: runtimeId, name, expectedRevision: expected, lastSeenAt: at } = runtime
  if (runtime.sync === 'rejected') {
    const reason = runtime.rejectedReason ?? ''
    const releaseId = releases.find(({ revision }) => revision === expected)?.id ?? null
    const what = { runtimeId, runtime: name, revision: expected, reason, releaseId }
    return [{ kind: 'runtime_rejected', at, ...what }]
  }
  const isLate = runtime.sync === 'behind' || runtime.sync === 'nothing_applied'
  const releasedAt = releases[0]?.at ?? 0
  if (!isLate || now - Math.max(releasedAt, runtime.registeredAt) < ADOPTION_MS) return []
  const applied = runtime.appliedRevision
  return [{ kind: 'runtime_behind', at, runtimeId, runtime: name, applied, expected }]
}

const SESSION_KIND = {
  diverged: 'session_diverged',
  breached: 'session_breached',
  error: 'session_error',
  blocked: 'session_blocked',
} as const

const RANK = {
  runtime_rejected: 0,
  rollout_rolled_back: 1,
  schedule_refused: 2,
  session_diverged: 3,
  session_breached: 4,
  session_error: 5,
  session_blocked: 6,
  runtime_behind: 7,
  sessions_lost: 8,
  key_expiring: 9,
} as const satisfies Record<AttentionItem['kind'], number>

function isIn(row: ListedSchedule, environment: string | undefined): boolean {
  return environment === undefined || row.environment === environment
}

/** A planned release that was refused stays until somebody puts it away. */
function scheduleItem(row: ListedSchedule): readonly AttentionItem[] {
  if (row.state !== 'refused') return []
  const { id: scheduleId, ns, key, environment, reason, settledAt, dueAt } = row
  const where = { scheduleId, ns, key, environment }
  return [{ kind: 'schedule_refused', at: settledAt ?? dueAt, ...where, reason: reason ?? '' }]
}

async function attentionOf(
  scope: ProjectScope,
  filter: { readonly environment?: string | undefined; readonly now: number },
  releases: readonly RecentRelease[],
): Promise<readonly AttentionItem[]> {
  const { environment, now } = filter
  const since = now - HOURS * HOUR
  const isKeeper = may(scope.role, 'key.manage')
  const [runtimes, troubled, lost, planned, rolledBack, keys] = await Promise.all([
    runtimesOf(scope, environment),
    troubledSessions(scope, { environment, since }),
    countLost(scope, { environment, since, until: now - LOST_AFTER_MS }),
    listSchedules(scope),
    listRolledBack(scope.projectId, since),
    isKeeper ? expiringKeys(scope, now + EXPIRY_WARNING_MS) : [],
  ])
  const items: AttentionItem[] = runtimes.flatMap((runtime) => {
    const there = releases.filter((release) => release.environment === runtime.environment)
    return runtimeItem(runtime, there, now)
  })
  for (const { id: sessionId, trouble, lastStopId: stopId, ...row } of troubled) {
    items.push({ ...row, kind: SESSION_KIND[trouble], sessionId, stopId })
  }
  items.push(...planned.filter((row) => isIn(row, environment)).flatMap(scheduleItem))
  for (const row of rolledBack)
    if (environment === undefined || row.environment === environment)
      items.push({ kind: 'rollout_rolled_back', ...row })
  if (lost > 0) items.push({ kind: 'sessions_lost', at: now, count: lost })
  for (const { id: keyId, name, expiresAt: at } of keys) {
    items.push({ kind: 'key_expiring', at, keyId, name })
  }
  return items.sort((a, b) => RANK[a.kind] - RANK[b.kind] || b.at - a.at).slice(0, MOST_ITEMS)
}

/** `environment` absent: all. */
export async function overviewOf(scope: ProjectScope, environment?: string): Promise<Overview> {
  const now = Date.now()
  const [counts, live, releases, steps] = await Promise.all([
    countsByHour(scope, { environment, since: now - (2 * HOURS + 1) * HOUR }),
    liveSessions(scope, { environment, since: now - LOST_AFTER_MS }),
    recentReleases(scope, environment),
    firstSteps(scope),
  ])
  const days = splitDays(counts, now)
  return {
    at: now,
    attention: await attentionOf(scope, { environment, now }, releases),
    figures: {
      // The series and the day before are sessions started; how many were live then is not kept.
      liveSessions: { ...figure(days, 'sessions', null), value: live.count },
      callsDenied: figure(days, 'denied', 'calls'),
      stopsBlocked: figure(days, 'blocked', 'stops'),
      stopsBypassed: figure(days, 'bypassed', null),
    },
    releases,
    live: live.newest,
    steps,
  }
}
