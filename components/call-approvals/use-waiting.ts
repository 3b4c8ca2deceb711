// New calls are appended, and finished ones keep their position until the user removes them, so that nothing moves under the pointer.
'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { ShownCall } from '@/server/call-approvals/call-approvals.ts'

export interface QueuedCall {
  readonly call: ShownCall
  /** True: the call no longer waits. */
  readonly isOver: boolean
}

const LOOK_EVERY_MS = 15_000

/** In order of the requests. `kept`: calls that were shown before. */
export function buildQueue(
  kept: readonly ShownCall[],
  waiting: readonly ShownCall[],
): readonly QueuedCall[] {
  const now = new Map(waiting.map((call) => [call.id, call]))
  const old = kept.map((call) => ({ call: now.get(call.id) ?? call, isOver: !now.has(call.id) }))
  const known = new Set(kept.map(({ id }) => id))
  const fresh = waiting.filter(({ id }) => !known.has(id)).map((call) => ({ call, isOver: false }))
  return [...old, ...fresh]
}

export function useWaiting(environment: string | undefined) {
  const trpc = useTRPC()
  const input = environment === undefined ? {} : { environment }
  const query = useQuery({
    ...trpc.callApprovals.waiting.queryOptions(input),
    refetchInterval: LOOK_EVERY_MS,
  })
  useReadOnChange({ kind: 'approval' }, query)
  const [kept, setKept] = useState<readonly ShownCall[]>([])
  const waiting = query.data?.calls
  const queue = buildQueue(kept, waiting ?? [])
  // Keeps the shown calls for the next answer. React renders again before it paints.
  if (queue.length > kept.length) setKept(queue.map(({ call }) => call))
  return {
    queue: query.data === undefined ? undefined : queue,
    total: query.data?.total ?? 0,
    error: query.error,
    retry: () => void query.refetch(),
    tidy: () => setKept(waiting ?? []),
  }
}
