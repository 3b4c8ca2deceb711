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

const REASONS: { readonly [code: string]: string } = {
  'plan.open_steps': 'Plan steps are not done',
  'files.missing': 'A file is missing',
  'files.unknown': 'A file could not be checked',
  'tool.not_run': 'A required tool did not run',
  'tool.last_run_failed': 'The last run of a tool failed',
  'tool.outdated': 'A tool did not run again after a change',
  'judge.incomplete': 'The judge found it incomplete',
  'judge.not_answered': 'The judge gave no usable answer',
  'judge.unavailable': 'No model was available to judge',
  'custom.incomplete': 'A custom check is not complete',
  'custom.not_answered': 'A custom check gave no answer',
  'expression.does_not_hold': 'A condition is not met',
  'expression.not_evaluated': 'A condition could not be evaluated',
  'composite.none_passed': 'None of the alternatives passed',
  'checker.threw': 'A check could not be evaluated',
  'stop.not_decided': 'The check failed to run',
}

/** The sentence of a single stop also names its files and tools. */
export function reasonWords(code: string): string {
  return Object.hasOwn(REASONS, code) ? (REASONS[code] ?? code) : `Other reason (${code})`
}
