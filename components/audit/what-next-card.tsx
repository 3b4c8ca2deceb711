// What the agent did after the decision, live while the session runs.
import Link from 'next/link'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { durationText } from '@/components/ui/time.tsx'
import type { SessionHead } from '@/server/read-models/session-head.ts'
import type { WhatNext } from '@/server/services/audit/what-next.ts'

const OUTCOME = { running: 'still running', lost: 'lost, no end was recorded' } as const

export function WhatNextCard({
  next,
  session,
}: {
  readonly next: WhatNext
  readonly session: SessionHead
}) {
  const { nextCall, events } = next
  const outcome =
    session.status === 'ended' ? (session.endReason ?? 'ended') : OUTCOME[session.status]
  const more = nextCall === null ? events : Math.max(0, events - 1)
  return (
    <Card>
      <CardHeader
        title="What happened next"
        {...(session.status === 'running' ? { aside: 'live' } : {})}
      />
      <p className="p-3 text-text-2">
        {nextCall === null ? (
          events === 0 ? (
            'Nothing was recorded after this. '
          ) : (
            'No further call. '
          )
        ) : (
          <>
            The agent kept working:{' '}
            <Link
              className="break-words font-mono text-link text-mono underline"
              href={`/sessions/${session.id}?e=${nextCall.seq}`}
            >
              {`${nextCall.tool} ${nextCall.text}`.trim()}
            </Link>{' '}
            {durationText(Math.max(0, nextCall.afterMs))} later
            {more > 0 ? `, then ${more} more ${more === 1 ? 'event' : 'events'}. ` : '. '}
          </>
        )}
        Outcome: {outcome}.
      </p>
    </Card>
  )
}
