import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { NOT_IMPORTED } from '@/server/sessions/counted-sessions.ts'
import { countSessions } from '@/server/sessions/session-list.sql.ts'
import {
  type HourCounts,
  loadCountsByHour,
  loadRecentReleases,
  loadShadowCounts,
  type RecentRelease,
  type ShadowCounts,
} from './overview.sql.ts'

const HOUR = 3_600_000
const HOURS = 24
const MOST_MARKED = 500

export type ReleaseMark = Pick<RecentRelease, 'id' | 'ns' | 'key' | 'version' | 'at'>

interface Figure {
  readonly value: number
  /** The number that `value` is a part of; null: a plain count. */
  readonly of: number | null
  /** In the period of equal length that ends 24 hours earlier. */
  readonly previousValue: number
  readonly previousOf: number | null
  /** The release after which the share changed most; null: none of the shown hours changed it. */
  readonly since: ReleaseMark | null
  /** By hour, oldest first. The last hour is unfinished. */
  readonly series: readonly { readonly hour: number; readonly value: number; readonly of: number }[]
}

export interface FigureSet {
  readonly running: number
  readonly sessionsStarted: Figure
  readonly callsDenied: Figure
  readonly stopsBlocked: Figure
  readonly stopsBypassed: Figure
  /** In the same period. */
  readonly shadow: ShadowCounts
  /** The newest MOST_MARKED releases in the shown hours, oldest first. */
  readonly releases: readonly ReleaseMark[]
  /** End of the period, epoch ms. */
  readonly until: number
}

type Counter = Exclude<keyof HourCounts, 'hour'>

interface Days {
  /** 24 hours, oldest first, without gaps. */
  readonly today: readonly HourCounts[]
  readonly before: readonly HourCounts[]
  readonly releases: readonly ReleaseMark[]
}

const ZERO = { calls: 0, denied: 0, stops: 0, blocked: 0, bypassed: 0, sessions: 0 }

function splitDays(counts: readonly HourCounts[], first: number): Omit<Days, 'releases'> {
  const byHour = new Map(counts.map((row) => [row.hour, row]))
  const today = Array.from({ length: HOURS }, (_, i) => {
    const hour = first + i * HOUR
    return byHour.get(hour) ?? { hour, ...ZERO }
  })
  return { today, before: counts.filter(({ hour }) => hour < first) }
}

function sum(rows: readonly HourCounts[], counter: Counter): number {
  return rows.reduce((total, row) => total + row[counter], 0)
}

function figure(
  { today, before, releases }: Days,
  [part, whole]: readonly [Counter, Counter | null],
): Figure {
  const series = today.map((row) => ({
    hour: row.hour,
    value: row[part],
    of: whole === null ? 0 : row[whole],
  }))
  return {
    value: sum(today, part),
    of: whole === null ? null : sum(today, whole),
    previousValue: sum(before, part),
    previousOf: whole === null ? null : sum(before, whole),
    since: whole === null ? null : findChange(series, releases),
    series,
  }
}

/** With fewer calls or stop attempts on either side, the shares are not compared. */
const FEWEST_TO_COMPARE = 20
/** Smaller changes are noise: as a factor, and as a difference of shares. */
const LEAST_CHANGE = { factor: 2, share: 0.02 } as const

/** The release with the largest change among those after which the share at least doubled or halved. Its own hour counts as after. */
export function findChange(series: Figure['series'], releases: readonly ReleaseMark[]) {
  const total = (rows: Figure['series']) => ({
    value: rows.reduce((all, row) => all + row.value, 0),
    of: rows.reduce((all, row) => all + row.of, 0),
  })
  const changes = releases.flatMap((release) => {
    const before = total(series.filter(({ hour }) => hour + HOUR <= release.at))
    const after = total(series.filter(({ hour }) => hour + HOUR > release.at))
    if (Math.min(before.of, after.of) < FEWEST_TO_COMPARE) return []
    const [low = 0, high = 0] = [before.value / before.of, after.value / after.of].toSorted(
      (one, other) => one - other,
    )
    const { factor, share } = LEAST_CHANGE
    return high < factor * low || high - low < share ? [] : [{ release, size: high - low }]
  })
  return changes.toSorted((one, other) => other.size - one.size)[0]?.release ?? null
}

export async function loadFigures(
  scope: ProjectScope,
  { environment }: { readonly environment?: string | undefined },
): Promise<FigureSet> {
  const until = Date.now()
  const since = Math.floor(until / HOUR) * HOUR - (HOURS - 1) * HOUR
  const [counts, running, recent, shadow] = await Promise.all([
    loadCountsByHour(scope, { environment, since, until }),
    countSessions(scope.projectId, { environment, status: 'running', terms: NOT_IMPORTED }),
    loadRecentReleases(scope, { environment, since, most: MOST_MARKED }),
    loadShadowCounts(scope, { environment, since }),
  ])
  const releases = recent
    .map(({ id, ns, key, version, at }) => ({ id, ns, key, version, at }))
    .toReversed()
  const days = { ...splitDays(counts, since), releases }
  return {
    running,
    sessionsStarted: figure(days, ['sessions', null]),
    callsDenied: figure(days, ['denied', 'calls']),
    stopsBlocked: figure(days, ['blocked', 'stops']),
    stopsBypassed: figure(days, ['bypassed', 'stops']),
    shadow,
    releases,
    until,
  }
}
