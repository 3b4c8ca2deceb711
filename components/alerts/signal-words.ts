import { countText, percentText } from '@signalbox/core/analysis'
import { type AlertSignal, alertSignal } from '@/server/alerts/signals.kinds.ts'

/** Value as a count or percentage: `5`, `13%`. */
export function valueText(signal: AlertSignal, value: number): string {
  return alertSignal(signal).measure === 'share' ? percentText(value) : countText(value)
}

/** `Firing, muted` */
export function standingText({
  isFiring,
  isMuted,
}: {
  readonly isFiring: boolean
  readonly isMuted: boolean
}): string {
  if (!isFiring) return 'Resolved'
  return isMuted ? 'Firing, muted' : 'Firing'
}
