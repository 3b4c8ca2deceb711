'use client'

import { RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { browserHub } from '@/components/live/browser-hub.ts'
import { nextTry } from '@/components/live/line.ts'
import { useConnectionState } from '@/components/live/use-connection-state.ts'
import { Button } from '@/components/ui/button.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { stopClocks, Timestamp } from '@/components/ui/time.tsx'

/** A shorter loss is shown in the rail only. */
const SHOWN_AFTER_MS = 5_000

/** Below the header of a page. */
export function LostServer() {
  const { since } = useConnectionState()
  const [now, setNow] = useState(0)
  // Clocks of the page are stopped, and this one must run.
  useEffect(() => {
    if (since === null) return
    const tick = (): void => setNow(Date.now())
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [since])
  const passed = since === null ? 0 : now - since
  const isShown = passed >= SHOWN_AFTER_MS
  useEffect(() => {
    stopClocks(isShown)
    return () => stopClocks(false)
  }, [isShown])
  if (since === null || !isShown) return null
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
        Data is from then, and nothing can be saved.{' '}
        {navigator.onLine && (
          // Hidden, because an alert is read again with each change.
          <span aria-hidden>
            Trying again in {Math.ceil((nextTry(passed) - passed) / 1_000)} s.
          </span>
        )}
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
