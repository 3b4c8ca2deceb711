import { countText } from '@signalbox/core/analysis'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'

/** `total`: number of sessions, of which `ids` may be only the first. */
export function SessionLinks({
  ids,
  total,
}: {
  readonly ids: readonly string[]
  readonly total: number
}) {
  return (
    <>
      {ids.map((id) => (
        <span key={id}>
          <Link
            className="whitespace-nowrap font-mono text-link text-mono"
            href={`/sessions/${id}`}
          >
            {shortId(id)}
          </Link>{' '}
        </span>
      ))}
      {total > ids.length ? `and ${countText(total - ids.length)} more` : null}
    </>
  )
}
