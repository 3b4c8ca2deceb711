// Holds the browser's one live connection while this tab is the leader. Mounted once, inside TrpcProvider; draws nothing.
'use client'

import { useSubscription } from '@trpc/tanstack-react-query'
import { useEffect, useRef, useState } from 'react'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { browserHub, liveName } from './browser-hub.ts'
import { standForLeader } from './election.ts'
import { connectionOf, type Line } from './line.ts'

const LOOK_EVERY_MS = 1_000

function report(line: { current: Line }, change: Partial<Line>): void {
  line.current = { ...line.current, ...change }
  browserHub().setConnection(connectionOf(line.current, Date.now()))
}

function LeaderConnection() {
  const trpc = useTRPC()
  const line = useRef<Line>({ isOpen: false, isOnline: true, downSince: null })
  useSubscription(
    trpc.live.hints.subscriptionOptions(undefined, {
      onData: (hint) => browserHub().publish({ kind: 'hint', hint }),
      onConnectionStateChange: ({ state }) => {
        const isOpen = state === 'pending'
        // Whatever happened while the line was down went unheard.
        if (isOpen) browserHub().publish({ kind: 'resync' })
        report(line, { isOpen, downSince: isOpen ? null : (line.current.downSince ?? Date.now()) })
      },
    }),
  )
  useEffect(() => {
    const look = (): void => report(line, { isOnline: navigator.onLine })
    const timer = setInterval(look, LOOK_EVERY_MS)
    window.addEventListener('online', look)
    window.addEventListener('offline', look)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', look)
      window.removeEventListener('offline', look)
    }
  }, [])
  return null
}

export function LiveConnection() {
  const [isLeader, setLeader] = useState(false)
  useEffect(() => {
    const locks = 'locks' in navigator ? navigator.locks : undefined
    return standForLeader(locks, liveName(), () => {
      browserHub().lead()
      setLeader(true)
    })
  }, [])
  return isLeader ? <LeaderConnection /> : null
}
