// Band above the explanation of a decision that lists enforcement gaps first, because a decision is only as reliable as its enforcement.
import { clsx } from 'clsx'
import { Link } from '@/components/ui/link.tsx'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { BAND_CLASS } from './band.ts'
import { harnessText } from './harness-text.ts'
import { ShortfallList } from './shortfall-list.tsx'

const MOST_SHOWN = 5

/** Renders nothing if the session was fully enforced, or that is unknown. */
export function EnforcementBand({ session }: { readonly session: SessionHead }) {
  const { id, harness, shortfalls } = session
  const [first] = shortfalls
  if (first === undefined) return null
  const hidden = shortfalls.length - MOST_SHOWN
  return (
    <section
      aria-label="Not enforced"
      className={clsx('flex flex-col gap-1 border-b px-4 py-2', BAND_CLASS[first.severity])}
    >
      <p className="font-medium">
        This session was not fully enforced
        <span className="font-normal"> in {harnessText(harness)}</span>
      </p>
      <div className="text-text">
        <ShortfallList sessionId={id} shortfalls={shortfalls.slice(0, MOST_SHOWN)} />
      </div>
      {hidden > 0 ? (
        <Link className="text-link" href={`/sessions/${id}?reasons=true`}>
          {hidden} more in the session
        </Link>
      ) : null}
    </section>
  )
}
