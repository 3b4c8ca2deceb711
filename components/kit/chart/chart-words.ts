import { plural, pluralize, shareText } from '@signalbox/core/analysis'
import { monthDay } from '@/components/ui/time.tsx'

const DAY = 86_400_000

export function rateText(part: number, whole: number, noun: string): string {
  return whole === 0
    ? `no ${pluralize(noun)}`
    : `${shareText(part, whole)} of ${plural(whole, noun)}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatChartParts(at: number, zone: string): Readonly<Record<string, string>> {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
    })
  formats.set(zone, format)
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
}

function formatCalendarDay({ year, month, day }: Readonly<Record<string, string>>): string {
  return `${year}-${month}-${day}`
}

export interface Tick {
  readonly at: number
  readonly text: string
}

const MOST_TICKS = 12
/** Ranges longer than this have ticks per day. */
const LONG = 3 * DAY

/** At most twelve ticks. Within three days: `14:00`, and the date at midnight; beyond: `Nov 20` at the beginning of each day. */
export function computeTicks(
  buckets: readonly number[],
  stepMs: number,
  zone: string,
): readonly Tick[] {
  const asked = stepMs < DAY ? zone : 'UTC'
  const isLong = buckets.length * stepMs > LONG
  let before = ''
  const ticks = buckets.flatMap((at, index): Tick[] => {
    const { month, day, hour, minute } = formatChartParts(at, asked)
    const date = monthDay(month, day)
    const isNewDay = date !== before
    before = date
    // A range that begins within a day has no tick there: it would be closer to the next one than the others are.
    const isPart = index === 0 && `${hour}:${minute}` !== '00:00'
    if (isLong) return isNewDay && !isPart ? [{ at, text: date }] : []
    return [{ at, text: `${hour}:${minute}` === '00:00' ? date : `${hour}:${minute}` }]
  })
  const every = Math.ceil(ticks.length / MOST_TICKS)
  return ticks.filter((_, index) => index % every === 0)
}

/** Buckets of a day or more are in UTC and say so: `2026-11-20 14:00 UTC, 1 h`. */
export function bucketText(at: number, stepMs: number, zone: string): string {
  const parts = formatChartParts(at, stepMs < DAY ? zone : 'UTC')
  if (stepMs === DAY) return `${formatCalendarDay(parts)} (UTC)`
  if (stepMs > DAY) return `${stepMs / DAY} days from ${formatCalendarDay(parts)} (UTC)`
  const { hour, minute, timeZoneName } = parts
  return `${formatCalendarDay(parts)} ${hour}:${minute} ${timeZoneName ?? zone}, ${stepMs / 3_600_000} h`
}

export function rangeText(from: number, until: number): string {
  return `${new Date(from).toISOString()}..${new Date(until).toISOString()}`
}

const SCALES = [0.25, 0.5, 1, 2, 5, 10, 25]

/** Ticks of an axis of percentages from 0 to at least `most`, in four steps or fewer. */
export function niceScale(most: number): readonly number[] {
  const step = SCALES.find((one) => one * 4 >= most) ?? 25
  const count = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** Width of a bucket: `6 h`, `day`, `week`. */
export function stepText(stepMs: number): string {
  if (stepMs < DAY) return stepMs === DAY / 24 ? 'hour' : `${stepMs / (DAY / 24)} h`
  const days = stepMs / DAY
  if (days === 1) return 'day'
  return days === 7 ? 'week' : `${days / 7} weeks`
}
