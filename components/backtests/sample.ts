// Sample of a run in the address: `50` (last sessions), `24h`, `7d`, `cases`, a saved view of the sessions list (`view_…`), or a range of
// times in UTC. Pure.
import type { AskedSample } from '@/server/backtests/start-backtest.ts'

export type ViewSample = Extract<AskedSample, { readonly kind: 'view' }> & { readonly id: string }

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

/** Both times in ascending order; null: the text is no range. */
export function parseInstants(text: string): { readonly from: number; readonly to: number } | null {
  const [from, to, more] = text.split('..').map((part) => Date.parse(part))
  if (from === undefined || to === undefined || more !== undefined) return null
  return Number.isFinite(from) && Number.isFinite(to) ? { from, to } : null
}

export function rangeText({ from, to }: { readonly from: number; readonly to: number }): string {
  return `${new Date(from).toISOString()}..${new Date(to).toISOString()}`
}

/** Null: the text names no sample. `now`: epoch ms. */
export function selectSample(
  text: string,
  now: number,
  views: readonly ViewSample[] = [],
): AskedSample | null {
  if (text === 'cases') return { kind: 'cases' }
  const view = views.find(({ id }) => id === text)
  if (view !== undefined) return { kind: 'view', name: view.name, filter: view.filter }
  const hours = HOURS.get(text)
  if (hours !== undefined) return { kind: 'range', from: now - hours * 3_600_000, to: now + 1 }
  if (/^[1-9]\d{0,3}$/.test(text)) {
    const sessions = Number(text)
    return sessions > MOST_SESSIONS ? null : { kind: 'last', sessions }
  }
  const range = parseInstants(text)
  return range !== null && range.from < range.to ? { kind: 'range', ...range } : null
}
