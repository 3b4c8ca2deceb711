import { countText, percentText } from '@signalbox/core/analysis'
import type { ListedAlert } from '@/server/alerts/alert-list.sql.ts'
import type { ListedDelivery } from '@/server/alerts/alerts.list.ts'
import { type AlertSignal, alertSignal, minutesText } from '@/server/alerts/signals.kinds.ts'

export function valueText(signal: AlertSignal, value: number): string {
  const { measure } = alertSignal(signal)
  if (measure === 'factor') return `${value < 10 ? value : countText(Math.round(value))}×`
  return measure === 'share' ? percentText(value) : countText(value)
}

export function measuredText({
  signal,
  value,
  windowMinutes,
}: Pick<ListedAlert, 'signal' | 'value' | 'windowMinutes'>): string {
  const { measure } = alertSignal(signal)
  const isCounted = measure === 'count' || measure === 'share'
  return `${valueText(signal, value)}${isCounted ? ` in ${minutesText(windowMinutes)}` : ''}`
}

/** `isRuleMuted`: its rule is muted now. */
export function alertState(
  {
    isFiring,
    isMuted,
    acknowledgedAt,
  }: Pick<ListedAlert, 'isFiring' | 'isMuted' | 'acknowledgedAt'>,
  isRuleMuted: boolean,
): 'firing' | 'acknowledged' | 'muted' | 'resolved' {
  if (!isFiring) return 'resolved'
  if (isMuted || isRuleMuted) return 'muted'
  return acknowledgedAt === null ? 'firing' : 'acknowledged'
}

interface Notified {
  readonly look: 'passed' | 'warning' | null
  readonly text: string
}

/** The deliveries that failed, or else where the alert arrived. */
export function notifiedText(deliveries: readonly ListedDelivery[]): Notified {
  const failed = deliveries.find(({ failedAt }) => failedAt !== null)
  if (failed !== undefined) {
    return { look: 'warning', text: `${failed.to} failed ${failed.attempts}×` }
  }
  const arrived = [
    ...new Set(deliveries.flatMap(({ to, deliveredAt }) => (deliveredAt === null ? [] : [to]))),
  ]
  if (arrived.length > 0) {
    const [first] = arrived
    return {
      look: 'passed',
      text: `${first}${arrived.length > 1 ? ` +${arrived.length - 1}` : ''}`,
    }
  }
  const [waiting] = deliveries
  if (waiting === undefined) return { look: null, text: 'not sent' }
  return {
    look: null,
    text: waiting.attempts === 0 ? `sending to ${waiting.to}` : `retrying ${waiting.to}`,
  }
}
