/** Milliseconds by which the zone's wall clock is ahead of UTC at the instant. */
function offsetAt(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at)
  const number = (type: string): number =>
    Number(parts.find((part) => part.type === type)?.value ?? 0)
  const wall = Date.UTC(
    ...([number('year'), number('month') - 1, number('day')] as const),
    ...([number('hour'), number('minute'), number('second')] as const),
  )
  return wall - Math.floor(at / 1000) * 1000
}

/** Value of a datetime-local field for the instant, to the minute; inverse of `instantIn`. */
export function localIn(at: number, zone: string): string {
  return new Date(at + offsetAt(at, zone)).toISOString().slice(0, 16)
}

/** Null: any other text. A time skipped in spring has the offset before the change; of a time that occurs twice, the first is taken. */
export function instantIn(local: string, zone: string): number | null {
  const wall = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(local)
    ? Date.parse(`${local.length === 16 ? `${local}:00` : local}Z`)
    : Number.NaN
  if (Number.isNaN(wall)) return null
  const earlier = offsetAt(wall - 86_400_000, zone)
  const later = offsetAt(wall + 86_400_000, zone)
  const fits = [earlier, later]
    .map((offset) => wall - offset)
    .filter((at) => at + offsetAt(at, zone) === wall)
  return fits.length > 0 ? Math.min(...fits) : wall - earlier
}
