'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'

const UNDO_MS = 10_000

export interface MutedRule {
  readonly id: string
  readonly name: string
  /** End of the mute, epoch ms, possibly in the past; null: not muted. */
  readonly mutedUntil: number | null
}

interface Shown {
  readonly show: (rule: MutedRule) => void
  readonly onFailed: (rule: MutedRule, why: string) => void
  readonly onSettled?: (rule: MutedRule) => void
}

interface Change {
  readonly from: MutedRule
  readonly to: MutedRule
  readonly isUndo: boolean
}

/** `until`: epoch ms; null: unmute. */
export function useMute({
  show,
  onFailed,
  onSettled,
}: Shown): (rule: MutedRule, until: number | null) => void {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  // The callbacks are set on the mutation, because Undo must work after the page is left.
  const { mutate } = useMutation({
    mutationFn: ({ to: { id, mutedUntil: until } }: Change) =>
      client.alerts.mute.mutate({ id, until }),
    onMutate: ({ to }) => show(to),
    onSuccess: (_, { from, to, isUndo }) => {
      if (isUndo) return
      toast(
        to.mutedUntil === null ? `“${to.name}” sends notifications again` : `Muted “${to.name}”`,
        {
          duration: UNDO_MS,
          action: { label: 'Undo', onClick: () => mutate({ from: to, to: from, isUndo: true }) },
        },
      )
    },
    onError: ({ message }, { from, isUndo }) => {
      show(from)
      onFailed(from, message)
      if (isUndo) toast.error(`Undo failed: ${message}`)
    },
    onSettled: (_, __, { from }) => {
      onSettled?.(from)
      return queries.invalidateQueries({ queryKey: trpc.alerts.rules.queryKey() })
    },
  })
  return (from, until) => mutate({ from, to: { ...from, mutedUntil: until }, isUndo: false })
}
