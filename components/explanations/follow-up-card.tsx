import { plural } from '@signalbox/core/analysis'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { durationText } from '@/components/ui/time.tsx'
import type { FollowUp } from '@/server/explanations/follow-up.ts'
import type { StopFacts } from '@/server/explanations/stop-list.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { attemptText, stopHeadline } from './stop-headline.ts'

/** Sentence about the session as a whole. */
function describeOutcome({ status, endReason }: SessionHead): string {
  if (status === 'running') return 'The session is still running.'
  if (status === 'lost') return 'The session was lost: no end was recorded.'
  return endReason === null ? 'The session ended.' : `The session ended as ${endReason}.`
}

export function FollowUpCard({
  next,
  session,
  later = [],
}: {
  /** Null: the events are no longer stored. */
  readonly next: FollowUp | null
  readonly session: SessionHead
  readonly later?: readonly StopFacts[]
}) {
  return (
    <Card>
      <CardHeader
        title="What happened next"
        {...(session.status === 'running' ? { aside: 'running' } : {})}
      />
      <p className="p-3 text-text-2">
        {next === null ? (
          'The events after it are no longer stored. '
        ) : (
          <Next next={next} sessionId={session.id} />
        )}
        <Later stops={later} />
        {describeOutcome(session)}
      </p>
    </Card>
  )
}

function Next({ next, sessionId }: { readonly next: FollowUp; readonly sessionId: string }) {
  const { nextCall, events } = next
  if (nextCall === null) {
    return events === 0 ? 'Nothing was recorded after this. ' : 'The agent made no further calls. '
  }
  const more = Math.max(0, events - 1)
  return (
    <>
      The agent kept working:{' '}
      <Link
        className="break-words font-mono text-link text-mono underline"
        href={`/sessions/${sessionId}?e=${nextCall.seq}`}
      >
        {`${nextCall.tool} ${nextCall.text}`.trim()}
      </Link>{' '}
      {durationText(Math.max(0, nextCall.afterMs))} later
      {more > 0 ? `, then ${plural(more, 'more event')}. ` : '. '}
    </>
  )
}

function Later({ stops }: { readonly stops: readonly StopFacts[] }) {
  const [first] = stops
  if (first === undefined) return null
  const { word } = stopHeadline(first)
  const more = stops.length - 1
  return (
    <>
      Then {first.via === 'final' ? 'the ' : ''}
      <Link className="text-link underline" href={`/stops/${first.id}`}>
        {attemptText(first).toLowerCase()}
      </Link>
      : {word.toLowerCase()}
      {more > 0 ? `, and ${more} more. ` : '. '}
    </>
  )
}
