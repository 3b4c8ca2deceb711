import { durationText } from '@/components/ui/time.tsx'

interface Received {
  /** Runtime's clock, epoch ms. */
  readonly at: number
  /** Server's clock, epoch ms. */
  readonly receivedAt: number
}

const LEAST_MS = 1_000

/** Null: all events are within a second. */
export function skewText(events: readonly Received[]): string | null {
  const skew = events
    .map(({ at, receivedAt }) => receivedAt - at)
    .reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0)
  if (Math.abs(skew) <= LEAST_MS) return null
  return skew > 0
    ? `+${durationText(skew)}`
    : `−${durationText(-skew)}, so the runtime's clock is ahead`
}
