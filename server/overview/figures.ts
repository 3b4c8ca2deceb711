import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { countSessions } from '@/server/sessions/session-list.sql.ts'
import {
  type CountsOf,
  type HourCounts,
  loadCountsBetween,
  loadCountsByHour,
  loadRecentReleases,
  type RecentRelease,
} from './overview.sql.ts'

const HOUR = 3_600_000
const HOURS = 24
const WEEK_MS = 7 * HOURS * HOUR

/** `of`: the number that `value` is a part of; null: a plain count. `series`: 24 hours, oldest first. */
interface Figure {
  readonly value: number
  readonly of: number | null
  readonly previousValue: number
  readonly previousOf: number | null
  /** Change since the newest release; null: no release within a week, or too few events before or since. */
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
  readonly release: string
  /** Shares from 0 to 1: in the 24 hours before the release, and since. */
  readonly before: number
  readonly after: number
}

type Counter = Exclude<keyof HourCounts, 'hour'>

interface Days {
  /** The last 24 hours, oldest first, without gaps. */
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

/** With fewer on either side, the shares are not compared. */
const FEWEST_TO_COMPARE = 20

interface Change {
  readonly release: RecentRelease
  readonly before: CountsOf
  readonly after: CountsOf
}

async function compareNewestRelease(
  scope: ProjectScope,
  environment: string | undefined,
  now: number,
) {
  const [release] = await loadRecentReleases(scope, environment)
  if (release === undefined || release.at < now - WEEK_MS) return null
  const of = { environment: environment ?? release.environment }
  const [before, after] = await Promise.all([
    loadCountsBetween(scope, { ...of, since: release.at - HOURS * HOUR, until: release.at }),
    loadCountsBetween(scope, { ...of, since: release.at, until: now }),
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

export async function loadFigures(
  scope: ProjectScope,
  { environment }: { readonly environment?: string | undefined },
): Promise<FigureSet> {
  const now = Date.now()
  const [counts, live, change] = await Promise.all([
    loadCountsByHour(scope, { environment, since: now - (2 * HOURS + 1) * HOUR }),
    countSessions(scope.projectId, { environment, status: 'running' }),
    compareNewestRelease(scope, environment, now),
  ])
  const days = splitDays(counts, now)
  return {
    // Series and day before are sessions started, because past numbers of running sessions are not stored.
    liveSessions: { ...figure(days, ['sessions', null]), value: live },
    callsDenied: figure(days, ['denied', 'calls'], sinceRelease(change, 'denied', 'calls')),
    stopsBlocked: figure(days, ['blocked', 'stops'], sinceRelease(change, 'blocked', 'stops')),
    stopsBypassed: figure(days, ['bypassed', 'stops'], sinceRelease(change, 'bypassed', 'stops')),
  }
}
