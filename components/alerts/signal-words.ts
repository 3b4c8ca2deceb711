import { countText, percentText } from '@signalbox/core/analysis'
import { type AlertSignal, alertSignal } from '@/server/alerts/signals.kinds.ts'

export function valueText(signal: AlertSignal, value: number): string {
  const { measure } = alertSignal(signal)
  if (measure === 'factor') return `${value}×`
  return measure === 'share' ? percentText(value) : countText(value)
}

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
