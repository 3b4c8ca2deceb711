// The Overview: what needs attention, four figures over a day, releases and live sessions.
import { may } from '../auth/permissions.ts'
import type { ProjectScope } from '../auth/scope.ts'
import { listAlerts } from '../read-models/alert-list.ts'
import { listRolledBack } from '../read-models/cohorts.ts'
import { type DraftBehind, draftsBehind } from '../read-models/drafts-behind.ts'
import {
  type CountsOf,
  countsBetween,
  countsByHour,
  firstSteps,
  type HourCounts,
  MOST_OF_KIND,
  MOST_UNEVALUATED,
  type RecentRelease,
  recentReleases,
  releaseEffects,
  stuckSessions,
  troubledSessions,
  type UnevaluatedCalls,
  unevaluatedCalls,
} from '../read-models/overview.ts'
import { type ListedSchedule, listSchedules } from '../read-models/schedules.ts'
import { countSessions, listSessions } from '../read-models/session-list.ts'
import { readChain } from '../repositories/audit-chain.ts'
import { expiringKeys } from '../repositories/keys.ts'
import { EXPIRY_WARNING_MS } from './keys.ts'
import { type ListedRuntime, runtimesOf } from './runtime-list.ts'

const HOUR = 3_600_000
const HOURS = 24
const WEEK_MS = 7 * HOURS * HOUR
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
      readonly kind: 'session_diverged' | 'session_breached' | 'session_error'
      readonly at: number
      readonly sessionId: string
      readonly ns: string
      readonly key: string
      readonly stopId: string | null
      readonly divergedSeq: number | null
      readonly breachCount: number
    }
  /** Once for each check that refused the session again and again. */
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
    }
  /** Once for each rule of a prompt in an environment; `decisionId`, `tool` and `reason`: of the newest call. */
  | (UnevaluatedCalls & {
      readonly kind: 'calls_unevaluated'
      /** There may be more than were counted. */
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
    }
  /** `sessionId`: the newest of them. */
  | {
      readonly kind: 'sessions_lost'
      readonly at: number
      readonly count: number
      readonly sessionId: string
    }
  /** The reader's own. */
  | (DraftBehind & { readonly kind: 'draft_behind' })
  /** Of calls, in parts of one; since the release. */
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
    }
  /** For those who read the audit log. */
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
      readonly reason: string
      /** Path of the page that explains it. */
      readonly evidence: string
    }
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
  /** What changed with the newest release; null: there was none in a week, or too little happened since or before. */
  readonly since: SinceRelease | null
  readonly series: readonly { readonly hour: number; readonly value: number; readonly of: number }[]
}

export interface FigureSet {
  readonly liveSessions: Figure
  readonly callsDenied: Figure
  readonly stopsBlocked: Figure
  readonly stopsBypassed: Figure
}

interface SinceRelease {
  /** `ns/key@v3` */
  readonly release: string
  /** Shares of one: in the 24 h before the release, and from then on. */
  readonly before: number
  readonly after: number
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

function figure(
  { today, before }: Days,
  [part, whole]: readonly [Counter, Counter | null],
  since: SinceRelease | null = null,
): Figure {
  return {
    value: sum(today, part),
    of: whole === null ? null : sum(today, whole),
    previousValue: sum(before, part),
    previousOf: whole === null ? null : sum(before, whole),
    since,
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
} as const

const RANK = {
  audit_broken: 0,
  runtime_rejected: 1,
  rollout_rolled_back: 2,
  schedule_refused: 3,
  session_diverged: 4,
  session_breached: 5,
  calls_unevaluated: 6,
  session_error: 7,
  session_blocked: 8,
  denials_rose: 9,
  runtime_behind: 10,
  sessions_lost: 11,
  draft_behind: 12,
  alert_firing: 13,
  key_expiring: 14,
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

/** Lost ones that began since then: how many, and the newest. */
async function lostSessions(
  projectId: string,
  filter: { environment?: string | undefined; since: number },
) {
  const lost = { ...filter, status: 'lost' } as const
  const [count, { sessions }] = await Promise.all([
    countSessions(projectId, lost),
    listSessions(projectId, lost, { after: null, limit: 1 }),
  ])
  return { count, sessions }
}

/** Everything that needs a look, in no order. */
async function itemsOf(
  scope: ProjectScope,
  filter: { readonly environment?: string | undefined; readonly now: number },
  releases: readonly RecentRelease[],
): Promise<readonly AttentionItem[]> {
  const { environment, now } = filter
  const since = now - HOURS * HOUR
  const isKeeper = may(scope.role, 'key.manage')
  const day = { environment, since }
  const [runtimes, troubled, lost, planned, rolledBack, keys, drafts, ...more] = await Promise.all([
    runtimesOf(scope, environment),
    troubledSessions(scope, day),
    lostSessions(scope.projectId, day),
    listSchedules(scope),
    listRolledBack(scope.projectId, since),
    isKeeper ? expiringKeys(scope, now + EXPIRY_WARNING_MS) : [],
    draftsBehind(scope, environment),
    unevaluatedItems(scope, day),
    stuckItems(scope, day),
    brokenChain(scope),
    roseItems(scope, { environment, since: now - WEEK_MS }),
    firingAlerts(scope, environment),
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
  const [newest] = lost.sessions
  if (newest !== undefined) {
    const { id: sessionId, lastEventAt: at } = newest
    items.push({ kind: 'sessions_lost', at, count: lost.count, sessionId })
  }
  items.push(...drafts.map((draft) => ({ ...draft, kind: 'draft_behind' as const })))
  for (const { id: keyId, name, expiresAt: at } of keys) {
    items.push({ kind: 'key_expiring', at, keyId, name })
  }
  return [...items, ...more.flat()]
}

/** Worst first; of one kind at most so many as are read. */
function ranked(items: readonly AttentionItem[]): readonly AttentionItem[] {
  const counts = new Map<string, number>()
  return items
    .toSorted((a, b) => RANK[a.kind] - RANK[b.kind] || b.at - a.at)
    .filter(({ kind }) => {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return count <= MOST_OF_KIND
    })
}

/** Many of one kind hide none of another: each has its first one before any has a second. `items`: worst first; so is what is left. */
function worst(items: readonly AttentionItem[]): readonly AttentionItem[] {
  const places = new Map<string, number>()
  const turns = items.map((item, place) => {
    const turn = places.get(item.kind) ?? 0
    places.set(item.kind, turn + 1)
    return { item, place, turn }
  })
  const kept = turns.toSorted((a, b) => a.turn - b.turn || a.place - b.place).slice(0, MOST_ITEMS)
  return kept.toSorted((a, b) => a.place - b.place).map(({ item }) => item)
}

interface Scoped {
  /** Absent: all. */
  readonly environment?: string | undefined
}

/** Below so many on either side a share says nothing. */
const FEWEST_TO_COMPARE = 20

interface Change {
  readonly release: RecentRelease
  readonly before: CountsOf
  readonly after: CountsOf
}

/** The newest release of the last week, and what was counted in the day before and since. */
async function changeOf(scope: ProjectScope, environment: string | undefined, now: number) {
  const [release] = await recentReleases(scope, environment)
  if (release === undefined || release.at < now - WEEK_MS) return null
  const of = { environment: environment ?? release.environment }
  const [before, after] = await Promise.all([
    countsBetween(scope, { ...of, since: release.at - HOURS * HOUR, until: release.at }),
    countsBetween(scope, { ...of, since: release.at, until: now }),
  ])
  return { release, before, after }
}

function sinceRelease(
  change: Change | null,
  part: keyof CountsOf,
  whole: keyof CountsOf,
): SinceRelease | null {
  if (change === null) return null
  const { release, before, after } = change
  if (before[whole] < FEWEST_TO_COMPARE || after[whole] < FEWEST_TO_COMPARE) return null
  return {
    release: `${release.ns}/${release.key}@v${release.version}`,
    before: before[part] / before[whole],
    after: after[part] / after[whole],
  }
}

/** Below these a rise may be chance, and is no alarm: sessions and calls on either side, denied calls since. */
const FEWEST_RISEN = { sessions: 5, calls: 50, denied: 10 } as const

/** Of releases in force: twice the share of before, and at least two points more. */
async function roseItems(
  scope: ProjectScope,
  filter: { readonly environment?: string | undefined; readonly since: number },
): Promise<readonly AttentionItem[]> {
  const effects = await releaseEffects(scope, filter)
  return effects.flatMap(({ before: old, after: now, ...release }): readonly AttentionItem[] => {
    const { sessions, calls, denied } = FEWEST_RISEN
    if (Math.min(old.sessions, now.sessions) < sessions) return []
    if (Math.min(old.calls, now.calls) < calls || now.denied < denied) return []
    const [before, after] = [old.denied / old.calls, now.denied / now.calls]
    if (after < 2 * before || after - before < 0.02) return []
    return [{ kind: 'denials_rose', ...release, before, after }]
  })
}

type Day = { readonly environment?: string | undefined; readonly since: number }

async function stuckItems(scope: ProjectScope, day: Day): Promise<readonly AttentionItem[]> {
  const stuck = await stuckSessions(scope, day)
  return stuck.map((session) => ({ kind: 'session_blocked', ...session }))
}

async function unevaluatedItems(scope: ProjectScope, day: Day): Promise<readonly AttentionItem[]> {
  const groups = await unevaluatedCalls(scope, day)
  const isMore = groups.reduce((sum, { count }) => sum + count, 0) >= MOST_UNEVALUATED
  return groups.map((group) => ({ kind: 'calls_unevaluated', ...group, isMore }))
}

/** Those that nobody looks after yet. */
async function firingAlerts(
  { projectId }: ProjectScope,
  environment: string | undefined,
): Promise<readonly AttentionItem[]> {
  const filter = { state: 'firing', environment: environment ?? null } as const
  const { alerts } = await listAlerts(projectId, filter, null)
  return alerts.flatMap(({ id: alertId, firedAt: at, acknowledgedAt, rule, reason, evidence }) =>
    acknowledgedAt === null
      ? [{ kind: 'alert_firing' as const, at, alertId, rule, reason, evidence }]
      : [],
  )
}

async function brokenChain(scope: ProjectScope): Promise<readonly AttentionItem[]> {
  if (!may(scope.role, 'member.manage')) return []
  const chain = await readChain(scope.projectId)
  if (chain === null || chain.broken === null) return []
  const { entryId, position } = chain.broken
  return [{ kind: 'audit_broken', at: chain.checkedAt ?? 0, entryId, position }]
}

export interface Attention {
  /** Worst first. */
  readonly items: readonly AttentionItem[]
  /** How many are left out. */
  readonly more: number
  /** Of a kind there are more than were read, so that `more` is a lower bound. */
  readonly isMore: boolean
  /** Runtimes that rejected or lack what they were sent, listed or not. */
  readonly runtimes: number
}

/** What needs a look: the seven worst, or everything that was read. */
export async function attention(
  scope: ProjectScope,
  { environment, all = false }: Scoped & { readonly all?: boolean | undefined },
): Promise<Attention> {
  const releases = await recentReleases(scope, environment)
  const found = await itemsOf(scope, { environment, now: Date.now() }, releases)
  const every = ranked(found)
  const items = all ? every : worst(every)
  return {
    items,
    more: every.length - items.length,
    isMore: every.length < found.length,
    runtimes: found.filter(({ kind }) => kind.startsWith('runtime_')).length,
  }
}

/** Four figures over 24 hours, from counts that are kept by the minute. */
export async function figures(scope: ProjectScope, { environment }: Scoped): Promise<FigureSet> {
  const now = Date.now()
  const [counts, live, change] = await Promise.all([
    countsByHour(scope, { environment, since: now - (2 * HOURS + 1) * HOUR }),
    countSessions(scope.projectId, { environment, status: 'running' }),
    changeOf(scope, environment, now),
  ])
  const days = splitDays(counts, now)
  return {
    // The series and the day before are sessions started; how many were live then is not kept.
    liveSessions: { ...figure(days, ['sessions', null]), value: live },
    callsDenied: figure(days, ['denied', 'calls'], sinceRelease(change, 'denied', 'calls')),
    stopsBlocked: figure(days, ['blocked', 'stops'], sinceRelease(change, 'blocked', 'stops')),
    stopsBypassed: figure(days, ['bypassed', null]),
  }
}

export async function releases(
  scope: ProjectScope,
  { environment }: Scoped,
): Promise<readonly RecentRelease[]> {
  return await recentReleases(scope, environment)
}

export async function steps(scope: ProjectScope): Promise<Awaited<ReturnType<typeof firstSteps>>> {
  return await firstSteps(scope)
}
