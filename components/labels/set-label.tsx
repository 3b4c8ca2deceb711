'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { Label } from '@/server/labels/label-input.ts'
import { type LabelProps, nameLabeled } from './label-props.ts'

/** Sets a label once, or removes it with null, and tells the page. */
export function SetLabel({
  sessionId,
  seq,
  label,
  onDone,
}: LabelProps & { readonly label: Label | null; readonly onDone: () => void }) {
  const subject = nameLabeled(seq)
  const trpc = useTRPC()
  const queries = useQueryClient()
  const right = useRight('editor')
  const change = useMutation(
    trpc.labels.set.mutationOptions({
      // Also when this is gone.
      onSuccess: () =>
        toast(
          label === null ? `Removed the label of ${subject}.` : `Marked ${subject} as ${label}.`,
        ),
      onError: ({ message }) => toast(message),
      onSettled: async () => {
        await queries.invalidateQueries({ queryKey: trpc.labels.pathKey() })
        await queries.invalidateQueries(trpc.sessions.head.queryFilter({ sessionId }))
      },
    }),
  )
  const run = useEffectEvent(() => {
    if (right.isAllowed) change.mutate({ sessionId, seq, label })
    else if (right.reason !== null) toast(right.reason)
    onDone()
  })
  useEffect(() => run(), [])
  return null
}
