// Core's state does not contain the lease, so it is read from the index and the payload of the last extension.
'use client'

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'

export interface Lease {
  readonly extensions: number
  readonly lastSeq: number
  /** Epoch ms; null: the extension's event is not loaded. */
  readonly expiresAt: number | null
  /** Event that reported the expiry; null: none since the last extension. */
  readonly expiredSeq: number | null
}

interface LeaseEvents {
  readonly extended: readonly IndexEntry[]
  readonly expired: readonly IndexEntry[]
}

/** The lists are short: a lease is extended at most once a minute. */
function upTo(entries: readonly IndexEntry[], seq: number): readonly IndexEntry[] {
  const end = entries.findIndex(([at]) => at > seq)
  return end === -1 ? entries : entries.slice(0, end)
}

/** Null: no extension up to `seq`. */
export function useLease(
  sessionId: string,
  entries: readonly IndexEntry[],
  seq: number,
): Lease | null {
  const trpc = useTRPC()
  const events = useMemo(
    (): LeaseEvents => ({
      extended: entries.filter(([, , type]) => type === 'lease.extended'),
      expired: entries.filter(([, , type]) => type === 'lease.expired'),
    }),
    [entries],
  )
  const extended = upTo(events.extended, seq)
  const last = extended.at(-1)
  const lastSeq = last?.[0] ?? 0
  const query = useQuery(
    trpc.sessions.events.queryOptions(
      { sessionId, seqs: [lastSeq] },
      { enabled: last !== undefined, staleTime: Number.POSITIVE_INFINITY },
    ),
  )
  if (last === undefined) return null
  const [recorded] = query.data ?? []
  const seconds = recorded?.seq === lastSeq ? parseSeconds(recorded.data) : null
  const expired = upTo(events.expired, seq).at(-1)
  return {
    extensions: extended.length,
    lastSeq,
    expiresAt: seconds === null ? null : last[1] + seconds * 1000,
    expiredSeq: expired !== undefined && expired[0] > lastSeq ? expired[0] : null,
  }
}

function parseSeconds(text: string): number | null {
  const data: unknown = JSON.parse(text)
  if (typeof data !== 'object' || data === null || !('seconds' in data)) return null
  return typeof data.seconds === 'number' ? data.seconds : null
}
