// Mounted once, inside TrpcProvider.
'use client'

import { useSubscription } from '@trpc/tanstack-react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { onServerMessage } from '@/components/trpc/reporting-event-source.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { browserHub, liveName } from './browser-hub.ts'
import { requestLeadership } from './election.ts'
import { computeConnection, type Line, LOOK_EVERY_MS } from './line.ts'

/** The last one repeats. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000] as const

function report(line: { current: Line }, change: Partial<Line>): void {
  line.current = { ...line.current, ...change }
  browserHub().setConnection(computeConnection(line.current, Date.now()))
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
  const refusals = useRef(0)
  const { status, reset } = useSubscription(
    trpc.live.notifications.subscriptionOptions(undefined, {
      onData: (notification) => browserHub().publish({ kind: 'notification', notification }),
      onConnectionStateChange: ({ state }) => {
        const isOpen = state === 'pending'
        if (isOpen) {
          refusals.current = 0
          // Notifications were missed while the connection was down.
          browserHub().publish({ kind: 'resync' })
        }
        report(line, { isOpen, downSince: isOpen ? null : (line.current.downSince ?? Date.now()) })
      },
    }),
  )
  // An event source reconnects automatically after a lost connection, but never after a response that is not a stream: a proxy whose server
  // restarts answers 502, and the page would receive nothing from then on.
  useEffect(() => {
    if (status !== 'error' && status !== 'idle') return
    report(line, { isOpen: false, downSince: line.current.downSince ?? Date.now() })
    const delay = RETRY_MS[Math.min(refusals.current, RETRY_MS.length - 1)]
    refusals.current += 1
    const timer = setTimeout(reset, delay)
    return () => clearTimeout(timer)
  }, [status, reset])
  const look = useEffectEvent(() => {
    const isBack = navigator.onLine && line.current.offlineSince !== null
    report(line, {
      offlineSince: navigator.onLine ? null : (line.current.offlineSince ?? Date.now()),
    })
    if (isBack) reset()
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
