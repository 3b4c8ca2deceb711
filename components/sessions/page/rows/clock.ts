// UTC is formatted by arithmetic, because a list formats thousands of rows; other zones use Intl once per row. Pure.

const two = (value: number): string => String(value).padStart(2, '0')

const formats = new Map<string, Intl.DateTimeFormat>()

function getTimeFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  formats.set(zone, format)
  return format
}

function clockText(at: number, zone = 'UTC'): string {
  if (zone !== 'UTC') return getTimeFormat(zone).format(at)
  const seconds = Math.floor(at / 1000) % 86_400
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

export function preciseClockText(at: number, zone = 'UTC'): string {
  return `${clockText(at, zone)}.${String(Math.floor(at) % 1000).padStart(3, '0')}`
}

const QUARTER_MS = 15 * 60_000

/** Calls Intl once per quarter of an hour, because days of every zone begin on one. */
export function dayReader(zone: string): (at: number) => string {
  if (zone === 'UTC') return (at) => new Date(at).toISOString().slice(0, 10)
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  let [known, day] = [Number.NaN, '']
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS)
    if (quarter !== known) {
      known = quarter
      day = format.format(at).split('/').toReversed().join('-')
    }
    return day
  }
}
