import { countText } from '@signalbox/core/analysis'
import { durationText } from '@/components/ui/time.tsx'
import type { Lease } from './use-lease.ts'

/** `loading`: events that are not loaded yet may contain extensions. */
export function LeaseSection({
  lease,
  at,
}: {
  readonly lease: Lease | null | 'loading'
  readonly at: number
}) {
  return (
    <section className="flex flex-col gap-1" data-section="Lease">
      <h3 className="font-semibold text-h2">Lease</h3>
      <p className="px-1 text-text-2">
        {lease === 'loading'
          ? 'Events are still being loaded.'
          : lease === null
            ? 'Never extended.'
            : leaseText(lease, at)}
      </p>
    </section>
  )
}

function leaseText(lease: Lease, at: number): string {
  const { extensions, lastSeq, expiresAt, expiredSeq } = lease
  const extended = `extended ${countText(extensions)}×, last at #${lastSeq}`
  if (expiredSeq !== null) return `${extended}; expired at #${expiredSeq}`
  if (expiresAt === null) return `${extended}; its end is not known yet`
  const left = expiresAt - at
  const holds =
    left > 0 ? `expires in ${durationText(left)}` : `expired ${durationText(-left)} earlier`
  return `${extended}; ${holds}`
}
