// The browser reads the archive and sends only its events.
'use client'

import type { DebugBundle } from '@signalbox/cli/wink'
import { plural } from '@signalbox/core/analysis'
import type { EventsResponse } from '@signalbox/wire'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

const MIB = 1024 * 1024

/** Loads the zip reader on demand; nothing else on the page needs it. */
async function reader() {
  return await import('@signalbox/cli/wink')
}

/** Rejects with the invalid file and field. */
export async function bundleIn(file: File): Promise<DebugBundle> {
  const { MAX_ARCHIVE_BYTES, readDebugBundle } = await reader()
  if (file.size > MAX_ARCHIVE_BYTES)
    throw new Error(`The file has ${Math.ceil(file.size / MIB)} MiB; a bundle has at most 256 MiB.`)
  return readDebugBundle(new Uint8Array(await file.arrayBuffer()))
}

async function sendLines(lines: readonly string[], environment: string): Promise<EventsResponse> {
  const response = await fetch(withPrefix(`/api/import/sessions/${environment}`), {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  })
  const body: unknown = await response.json().catch(() => null)
  const wire = await import('@signalbox/wire')
  const read = wire.EventsResponse.safeParse(body)
  if (response.ok && read.success) return read.data
  throw new Error(
    typeof body === 'object' && body !== null && 'detail' in body
      ? String(body.detail)
      : 'The server did not answer.',
  )
}

export interface Importing {
  readonly bundle: DebugBundle
  readonly environment: string
}

/** Resolves with the session's id once all events are stored. Events that are stored already are skipped. */
export function useSessionImport() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<{ readonly done: number; readonly of: number }>()
  const sending = useMutation({
    mutationFn: async ({ bundle, environment }: Importing): Promise<string> => {
      const { importedLog, splitRequests, toSessionId } = await reader()
      const lines = importedLog(bundle, environment)
      let done = 0
      for (const part of splitRequests(lines)) {
        setProgress({ done, of: lines.length })
        const [first, ...more] = (await sendLines(part, environment)).errors
        if (first !== undefined) {
          const others =
            more.length === 0
              ? ''
              : ` ${plural(more.length, 'more event')} ${more.length === 1 ? 'was' : 'were'} refused.`
          throw new Error(`Event ${first.seq ?? done + first.line}: ${first.detail}${others}`)
        }
        done += part.length
      }
      return toSessionId(bundle)
    },
    onSettled: () => setProgress(undefined),
    onSuccess: () => queries.invalidateQueries({ queryKey: trpc.sessions.pathKey() }),
  })
  return { sending, progress }
}
