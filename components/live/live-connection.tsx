// Mounted once, inside TrpcProvider.
'use client'

import { useSubscription } from '@trpc/tanstack-react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { onServerMessage } from '@/components/trpc/reporting-event-source.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { browserHub, liveName } from './browser-hub.ts'
import { requestLeadership } from './election.ts'
import { computeConnection, type Line, LOOK_EVERY_MS, nextTry } from './line.ts'

/** An event source that waits for its server is left alone for as long. */
const PATIENCE_MS = 8_000

function report(line: { current: Line }, change: Partial<Line>): void {
  line.current = { ...line.current, ...change }
  browserHub().setConnection(computeConnection(line.current, Date.now()))
}

/** An open connection can be silent for some time before it is closed. */
function findLoss({ current }: { readonly current: Line }): number {
  return current.downSince ?? browserHub().connection().since ?? Date.now()
}

function LeaderConnection() {
  const trpc = useTRPC()
  const [opened] = useState(() => Date.now())
  const line = useRef<Line>({
    isOpen: false,
    offlineSince: null,
    downSince: opened,
    heardAt: opened,
  })
  /** After the loss, in ms. */
  const due = useRef(nextTry(0))
  const { status, reset } = useSubscription(
    trpc.live.notifications.subscriptionOptions(undefined, {
      onData: (notification) => browserHub().publish({ kind: 'notification', notification }),
      onConnectionStateChange: ({ state }) => {
        const isOpen = state === 'pending'
        // Notifications were missed while the connection was down.
        if (isOpen) browserHub().publish({ kind: 'resync' })
        report(line, { isOpen, downSince: isOpen ? null : findLoss(line) })
      },
    }),
  )
  // An event source reconnects automatically after a lost connection, but never after a response that is not a stream: a proxy whose server
  // restarts answers 502, and the page would receive nothing from then on.
  const isClosed = status === 'error' || status === 'idle'
  useEffect(() => {
    if (isClosed) report(line, { isOpen: false, downSince: findLoss(line) })
  }, [isClosed])
  const look = useEffectEvent(() => {
    const isBack = navigator.onLine && line.current.offlineSince !== null
    report(line, {
      offlineSince: navigator.onLine ? null : (line.current.offlineSince ?? Date.now()),
    })
    const { since } = browserHub().connection()
    const passed = since === null ? 0 : Date.now() - since
    const isDue = passed >= due.current && (isClosed || passed >= PATIENCE_MS)
    if (isBack || (isDue && navigator.onLine)) reset()
    if (passed === 0 || passed >= due.current) due.current = nextTry(passed)
  })
  const tryNow = useEffectEvent(() => {
    if (line.current.offlineSince === null) reset()
    look()
  })
  useEffect(() => {
    const timer = setInterval(() => look(), LOOK_EVERY_MS)
    const atOnce = (): void => look()
    const retry = (): void => tryNow()
    browserHub().lead(retry)
    const stop = onServerMessage((heardAt) => report(line, { heardAt }))
    window.addEventListener('online', retry)
    window.addEventListener('offline', atOnce)
    return () => {
      clearInterval(timer)
      stop()
      window.removeEventListener('online', retry)
      window.removeEventListener('offline', atOnce)
    }
  }, [])
  return null
}

export function LiveConnection() {
  const [isLeader, setLeader] = useState(false)
  useEffect(() => {
    const locks = 'locks' in navigator ? navigator.locks : undefined
    return requestLeadership(locks, liveName(), () => setLeader(true))
  }, [])
  return isLeader ? <LeaderConnection /> : null
}
