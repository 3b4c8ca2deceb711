import { plural } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import type { ListedDelivery } from '@/server/alerts/alerts.list.ts'

export function Deliveries({ deliveries }: { readonly deliveries: readonly ListedDelivery[] }) {
  if (deliveries.length === 0) return <span>No notifications were sent.</span>
  return (
    <ul className="inline">
      {deliveries.map(({ event, to, kind, ...delivery }) => (
        <li
          key={`${event} ${kind} ${to}`}
          className={clsx('mr-2 inline', delivery.failedAt !== null && 'text-deny-fg')}
        >
          {delivery.deliveredAt !== null
            ? 'notified'
            : delivery.failedAt !== null
              ? 'not notified'
              : 'not notified yet'}
          {event === 'resolved' ? ' of the resolution' : ''}: {to}, {deliveryText(delivery)}{' '}
        </li>
      ))}
    </ul>
  )
}

function deliveryText({
  deliveredAt,
  failedAt,
  attempts,
  last,
}: Pick<ListedDelivery, 'deliveredAt' | 'failedAt' | 'attempts' | 'last'>): string {
  const times = attempts === 1 ? 'at the first attempt' : `after ${plural(attempts, 'attempt')}`
  if (deliveredAt !== null) return `arrived ${times}`
  if (failedAt !== null) return `failed ${times}: ${last}`
  return attempts === 0 ? 'sending' : `will be retried; last attempt: ${last}`
}
