'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { RecordedEvent } from '@/server/sessions/log/recorded-events.ts'
import { PayloadCache } from './payload-cache.ts'

export function usePayloadCache(sessionId: string): PayloadCache {
  const trpc = useTRPC()
  const client = useQueryClient()
  return useMemo(
    () =>
      new PayloadCache((seqs) =>
        client.fetchQuery(
          trpc.sessions.events.queryOptions({ sessionId, seqs: [...seqs] }, { gcTime: 0 }),
        ),
      ),
    [client, sessionId, trpc],
  )
}

export interface Payloads {
  /** Loaded events among the requested ones, in the requested order. */
  readonly events: readonly RecordedEvent[]
  /** True: every payload is loaded, or the missing ones are not stored. */
  readonly isLoaded: boolean
  readonly error: Error | null
  readonly retry: () => void
}

export function usePayloads(cache: PayloadCache, seqs: readonly number[]): Payloads {
  useSyncExternalStore(cache.subscribe, cache.version, cache.version)
  const [result, setResult] = useState<{ readonly of: string; readonly error: Error | null }>()
  const [tries, setTries] = useState(0)
  const of = seqs.join(' ')
  useEffect(() => {
    let isWanted = tries >= 0
    const settle = (error: Error | null): void => {
      if (isWanted) setResult({ of, error })
    }
    cache
      .want(of === '' ? [] : of.split(' ').map(Number))
      .then(() => settle(null))
      .catch((error: unknown) => settle(error instanceof Error ? error : new Error(String(error))))
    return () => {
      isWanted = false
    }
  }, [cache, of, tries])
  const events = seqs.flatMap((seq) => cache.get(seq) ?? [])
  const isDone = result?.of === of
  return {
    events,
    isLoaded: events.length === seqs.length || (isDone && result.error === null),
    error: isDone ? result.error : null,
    retry: () => setTries((count) => count + 1),
  }
}
