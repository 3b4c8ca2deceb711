import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { NOT_IMPORTED } from '@/server/sessions/counted-sessions.ts'
import { countSessions } from '@/server/sessions/session-list.sql.ts'
import {
  type ConfigHour,
  type HourCounts,
  loadConfigHours,
  loadCountsByHour,
  loadRecentReleases,
  loadShadowCounts,
  type RecentRelease,
  type ShadowCounts,
} from './overview.sql.ts'

const HOUR = 3_600_000
const HOURS = 24
const MOST_MARKED = 500

export type ReleaseMark = Pick<
  RecentRelease,
  'id' | 'environment' | 'ns' | 'key' | 'version' | 'at'
>

interface Figure {
  readonly value: number
  /** The number that `value` is a part of; null: a plain count. */
  readonly of: number | null
  /** In the period of equal length that ends 24 hours earlier. */
  readonly previousValue: number
  readonly previousOf: number | null
  /** The release after which the share changed most, together with that of its own config; null: none of the shown hours changed it. */
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
type Whole = 'calls' | 'stops'
type Part = Exclude<Counter, Whole>

interface Days {
  /** 24 hours, oldest first, without gaps. */
  readonly today: readonly HourCounts[]
  readonly before: readonly HourCounts[]
  readonly releases: readonly ReleaseMark[]
  /** Counts of the configs that `releases` name. */
  readonly configHours: readonly ConfigHour[]
}

const ZERO = { calls: 0, denied: 0, stops: 0, blocked: 0, bypassed: 0, sessions: 0 }

function splitDays(counts: readonly HourCounts[], first: number): Pick<Days, 'today' | 'before'> {
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
  { today, before, releases, configHours }: Days,
  [part, whole]: readonly [Part, Whole | null],
): Figure {
  const series = today.map((row) => ({
    hour: row.hour,
    value: row[part],
    of: whole === null ? 0 : row[whole],
  }))
  const findSince = () => {
    if (whole === null || part === 'sessions') return null
    const own = configHours.map((row) => ({ ...row, value: row[part], of: row[whole] }))
    return findChange(series, releases, own)
  }
  return {
    value: sum(today, part),
    of: whole === null ? null : sum(today, whole),
    previousValue: sum(before, part),
    previousOf: whole === null ? null : sum(before, whole),
    since: findSince(),
    series,
  }
}

/** With fewer calls or stop attempts on either side, the shares are not compared. */
const FEWEST_TO_COMPARE = 20
/** With fewer denied, blocked or bypassed on both sides, the difference is chance. */
const FEWEST_CHANGED = 5
/** Smaller changes are noise: as a factor, and as a difference of shares. */
const LEAST_CHANGE = { factor: 2, share: 0.02 } as const

type Series = Figure['series']

interface Count {
  readonly value: number
  readonly of: number
}

/** Counts before and since `at`, whose hour counts as after it. */
function splitAt(series: Series, at: number): readonly [before: Count, after: Count] {
  const total = (rows: Series): Count => ({
    value: rows.reduce((all, row) => all + row.value, 0),
    of: rows.reduce((all, row) => all + row.of, 0),
  })
  return [
    total(series.filter(({ hour }) => hour + HOUR <= at)),
    total(series.filter(({ hour }) => hour + HOUR > at)),
  ]
}

/** Difference of the shares; 0: too small, or too few counts to tell. */
function measureChange(before: Count, after: Count): number {
  if (Math.min(before.of, after.of) < FEWEST_TO_COMPARE) return 0
  if (Math.max(before.value, after.value) < FEWEST_CHANGED) return 0
  const [from, to] = [before.value / before.of, after.value / after.of]
  const [low, high] = [Math.min(from, to), Math.max(from, to)]
  const { factor, share } = LEAST_CHANGE
  return high < factor * low || high - low < share ? 0 : to - from
}

/**
 * The release with the largest change among those after which the share at least doubled or halved, and that of the release's config
 * in its environment did the same. A config without enough counts before the release is compared with all of them.
 */
export function findChange(
  series: Series,
  releases: readonly ReleaseMark[],
  configHours: readonly (Pick<ConfigHour, 'environment' | 'ns' | 'key' | 'hour'> & Count)[],
): ReleaseMark | null {
  const changes = releases.flatMap((release) => {
    const [before, after] = splitAt(series, release.at)
    const change = measureChange(before, after)
    if (change === 0) return []
    const own = configHours.filter(
      ({ environment, ns, key }) =>
        environment === release.environment && ns === release.ns && key === release.key,
    )
    const [ownBefore, ownAfter] = splitAt(own, release.at)
    const ownChange = measureChange(ownBefore.of < FEWEST_TO_COMPARE ? before : ownBefore, ownAfter)
    return Math.sign(ownChange) === Math.sign(change) ? [{ release, size: Math.abs(change) }] : []
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
    .map(({ id, environment, ns, key, version, at }) => ({ id, environment, ns, key, version, at }))
    .toReversed()
  const configHours = await loadConfigHours(scope, { since, releases })
  const days = { ...splitDays(counts, since), releases, configHours }
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
