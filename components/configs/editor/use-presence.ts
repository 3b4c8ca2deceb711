'use client'
// Sent every ten seconds and on focus changes; received over the live channel.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { readDocumentProject } from '@/components/shell/project.tsx'
import { procedureAddress } from '@/components/trpc/trpc-client.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { focusedPointer } from './form-places.ts'
import { findPart } from './outline.tsx'
import { describePresent } from './presence-words.ts'

const REPORT_EVERY_MS = 10_000

export interface Editing {
  readonly configId: string
  readonly ns: string
  readonly key: string
  /** False: the reader may not edit and is not announced. */
  readonly isSaid: boolean
  /** Pointer of the value at the cursor in the JSON; null: the focus is elsewhere. */
  readonly jsonPointer: () => string | null
}

export function usePresence(editing: Editing): readonly string[] {
  const { configId, ns, key, isSaid } = editing
  const trpc = useTRPC()
  const client = useTRPCClient()
  const [tab] = useState(() => crypto.randomUUID())
  const me = useQuery(trpc.members.me.queryOptions()).data?.userId
  const present = useQuery({
    ...trpc.drafts.present.queryOptions({ ns, key }),
    // A crashed browser never reports that it left.
    refetchInterval: 3 * REPORT_EVERY_MS,
  })
  useReadOnChange({ kind: 'presence', id: configId }, present)
  const say = useEffectEvent(() => {
    const pointer = focusedPointer() ?? editing.jsonPointer()
    const part = pointer === null ? null : (findPart(pointer)?.title ?? null)
    // Presence is not essential: a failed report is repeated after ten seconds.
    client.drafts.sayPresence.mutate({ ns, key, tab, part }).catch(() => undefined)
  })
  useEffect(() => {
    if (!isSaid) return
    const onFocus = () => say()
    const onHide = () => reportLeaving({ ns, key, tab })
    say()
    const timer = setInterval(onFocus, REPORT_EVERY_MS)
    document.addEventListener('focusin', onFocus)
    window.addEventListener('pagehide', onHide)
    return () => {
      clearInterval(timer)
      document.removeEventListener('focusin', onFocus)
      window.removeEventListener('pagehide', onHide)
      onHide()
    }
  }, [isSaid, ns, key, tab])
  return describePresent(present.data ?? [], { me, tab })
}

/** The browser sends it after the page is closed. The client would send it after a timer, which a closed page does not run. */
function reportLeaving(from: { readonly ns: string; readonly key: string; readonly tab: string }) {
  fetch(procedureAddress(readDocumentProject(), '/drafts.sayPresence'), {
    method: 'POST',
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...from, part: null, leaving: true }),
  }).catch(() => undefined)
}
