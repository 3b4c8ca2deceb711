'use client'

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { Failure } from '@/components/ui/states.tsx'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { type EventRow, rowReader } from '../rows/session-rows.ts'
import { type EventIndex, useEventIndex } from '../use-event-index.ts'

export interface ComparedHead {
  readonly head: SessionHead | undefined
  readonly error: Failure | null
  readonly retry: () => void
}

export function useComparedHead(sessionId: string): ComparedHead {
  const trpc = useTRPC()
  const query = useQuery(trpc.sessions.head.queryOptions({ sessionId }))
  useReadOnChange({ kind: 'session', id: sessionId }, query)
  return {
    head: query.data,
    error: query.error,
    retry: () => void query.refetch(),
  }
}

const NONE: readonly IndexEntry[] = []

export function useComparedRows({ id: sessionId, maxSeq }: SessionHead): {
  readonly rows: readonly EventRow[]
  readonly index: EventIndex
} {
  const index = useEventIndex({ sessionId, first: NONE, maxSeq })
  const read = useMemo(() => rowReader(true), [])
  const rows = useMemo(
    () => read(index.entries).filter((row) => row.kind === 'event'),
    [read, index.entries],
  )
  return { rows, index }
}
