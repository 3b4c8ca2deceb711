'use client'

import { RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { browserHub } from '@/components/live/browser-hub.ts'
import { useConnectionState } from '@/components/live/use-connection-state.ts'
import { Button } from '@/components/ui/button.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { stopClocks, Timestamp } from '@/components/ui/time.tsx'

/** A shorter loss is shown in the rail only. */
const SHOWN_AFTER_MS = 5_000

/** Below the header of a page. */
export function LostServer() {
  const { since } = useConnectionState()
  const [isShown, setShown] = useState(false)
  const isLost = since !== null
  useEffect(() => {
    if (!isLost) return
    const timer = setTimeout(() => {
      setShown(true)
      stopClocks(true)
    }, SHOWN_AFTER_MS)
    return () => {
      clearTimeout(timer)
      setShown(false)
      stopClocks(false)
    }
  }, [isLost])
  if (!isShown || since === null) return null
  return (
    <div
      role="alert"
      className="no-print sticky top-0 z-20 flex shrink-0 flex-wrap items-center gap-2 border-warning-bd border-b bg-warning-bg px-4 py-2 text-warning-fg"
    >
      <StatusIcon status="warning" />
      <p className="min-w-0 flex-1 basis-60">
        <strong className="font-semibold">
          Not connected since <Timestamp at={since} style="second" />.
        </strong>{' '}
        Data is from then, and nothing can be saved. Links open once the connection is back.
      </p>
      {navigator.onLine && (
        <Button onClick={() => browserHub().retry()}>
          <RotateCw size={14} aria-hidden />
          Try now
        </Button>
      )}
    </div>
  )
}
