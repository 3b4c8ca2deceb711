// The sample as it stands in the URL: `50` (last sessions), `24h`, `7d`, `cases`, or a range of instants in UTC.
import type { Sample } from '@/server/repositories/backtests.ts'

export const DEFAULT_SAMPLE = '50'

export const SAMPLES = [
  { value: '50', label: 'Last 50 sessions' },
  { value: '200', label: 'Last 200 sessions' },
  { value: '1000', label: 'Last 1,000 sessions' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: 'cases', label: 'Pinned cases only' },
] as const

const HOURS: ReadonlyMap<string, number> = new Map([
  ['24h', 24],
  ['7d', 7 * 24],
])
const MOST_SESSIONS = 5_000

/** Null for a text that names no sample. `now`: epoch ms. */
export function sampleOf(text: string, now: number): Sample | null {
  if (text === 'cases') return { kind: 'cases' }
  const hours = HOURS.get(text)
  if (hours !== undefined) return { kind: 'range', from: now - hours * 3_600_000, to: now + 1 }
  if (/^[1-9]\d{0,3}$/.test(text)) {
    const sessions = Number(text)
    return sessions > MOST_SESSIONS ? null : { kind: 'last', sessions }
  }
  const [from, to, more] = text.split('..').map((part) => Date.parse(part))
  if (from === undefined || to === undefined || more !== undefined) return null
  return Number.isFinite(from) && Number.isFinite(to) && from < to
    ? { kind: 'range', from, to }
    : null
}
