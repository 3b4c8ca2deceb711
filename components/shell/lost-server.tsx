// Below every page, so that the content does not move.
'use client'

import { useConnectionState } from '@/components/live/use-connection-state.ts'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { durationText, Timestamp, useNow } from '@/components/ui/time.tsx'

/** A shorter loss is shown in the rail only. */
const SHOWN_AFTER_MS = 3_000

export function LostServer() {
  const { state, since } = useConnectionState()
  const now = useNow()
  const lostMs = state === 'live' || since === null || now === null ? 0 : now - since
  return (
    <div role="alert" className="no-print sticky bottom-14 z-20 shrink-0 sm:static">
      {lostMs < SHOWN_AFTER_MS || since === null ? null : (
        <div className="flex items-start gap-2 border-warning-bd border-t bg-warning-bg px-4 py-2 text-warning-fg">
          <span className="mt-0.5">
            <StatusIcon status="warning" />
          </span>
          <p>
            <strong className="font-semibold">The server does not answer.</strong> This page shows
            what it received until <Timestamp at={since} style="second" />. Nothing can be saved,
            and links wait until the connection is back.{' '}
            <span aria-hidden className="whitespace-nowrap tabular-nums">
              Reconnecting for {durationText(Math.floor(lostMs / 1000) * 1000).replace('.0', '')}…
            </span>
          </p>
        </div>
      )}
    </div>
  )
}
