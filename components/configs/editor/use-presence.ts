'use client'
// Sent every ten seconds and on focus changes; received over the live channel.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { focusedPointer } from './form-places.ts'
import { findPart } from './outline.tsx'

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
  const say = useEffectEvent((leaving: boolean) => {
    const pointer = focusedPointer() ?? editing.jsonPointer()
    const part = pointer === null ? null : (findPart(pointer)?.title ?? null)
    // Presence is not essential: a failed report is repeated after ten seconds.
    client.drafts.sayPresence.mutate({ ns, key, tab, part, leaving }).catch(() => undefined)
  })
  useEffect(() => {
    if (!isSaid) return
    const onFocus = () => say(false)
    const onHide = () => say(true)
    say(false)
    const timer = setInterval(onFocus, REPORT_EVERY_MS)
    document.addEventListener('focusin', onFocus)
    window.addEventListener('pagehide', onHide)
    return () => {
      clearInterval(timer)
      document.removeEventListener('focusin', onFocus)
      window.removeEventListener('pagehide', onHide)
      onHide()
    }
  }, [isSaid])
  const others = (present.data ?? []).filter((one) => one.tab !== tab)
  return [...new Set(others.map((one) => describePresence(one, me)))]
}

function describePresence(
  {
    userId,
    name,
    part,
  }: { readonly userId: string; readonly name: string; readonly part: string | null },
  me: string | undefined,
): string {
  const who = userId === me ? 'You are also here in another tab' : `${name} is also here`
  return part === null ? who : `${who}, editing ${part}`
}
