'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { LiveList } from '@/components/kit/list/use-live-list.ts'
import { useMe } from '@/components/shell/account.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { ListedAlert } from '@/server/alerts/alert-list.sql.ts'
import { type MutedRule, useMute } from './use-mute.ts'

const UNDO_MS = 10_000

export interface AlertActs {
  readonly acknowledge: (alert: ListedAlert, note: string) => void
  readonly mute: (rule: MutedRule, until: number | null) => void
  /** Error of the last action on this alert; null: none. */
  readonly findFailure: (alert: ListedAlert) => string | null
  readonly findNote: (alert: ListedAlert) => string
}

interface Failed {
  /** Id of the alert, or of the rule if several alerts changed. */
  readonly id: string
  readonly why: string
  readonly note: string
}

interface Change {
  readonly alert: ListedAlert
  /** Null: removes the acknowledgment. */
  readonly note: string | null
}

function acknowledgedBy(name: string, alert: ListedAlert, note: string): ListedAlert {
  const acknowledgedNote = note.trim() || null
  return { ...alert, acknowledgedName: name, acknowledgedAt: Date.now(), acknowledgedNote }
}

export function toMutedRule({ ruleId, rule, ruleMutedUntil }: ListedAlert): MutedRule {
  return { id: ruleId, name: rule, mutedUntil: ruleMutedUntil }
}

export function useAlertActs({ rows: alerts, showRow, readRow }: LiveList<ListedAlert>): AlertActs {
  const client = useTRPCClient()
  const trpc = useTRPC()
  const queries = useQueryClient()
  const me = useMe()
  const [failed, setFailed] = useState<Failed | null>(null)
  // The callbacks are set on the mutation, because Undo must work after the page is left.
  const { mutate } = useMutation({
    mutationFn: ({ alert: { id }, note }: Change) =>
      note === null
        ? client.alerts.unacknowledge.mutate({ id })
        : client.alerts.acknowledge.mutate({ id, note }),
    onMutate: ({ alert, note }) => {
      setFailed(null)
      showRow(note === null ? alert : acknowledgedBy(me?.name ?? 'you', alert, note))
    },
    onSuccess: (_, { alert, note }) => {
      if (note === null) return
      toast(`Acknowledged “${alert.rule}”`, {
        duration: UNDO_MS,
        action: { label: 'Undo', onClick: () => mutate({ alert, note: null }) },
      })
    },
    onError: ({ message: why }, { alert, note }) => {
      showRow(alert)
      setFailed({ id: alert.id, why, note: note ?? '' })
      if (note === null) toast.error(`Undo failed: ${why}`)
    },
    onSettled: (_, __, { alert }) => {
      readRow(alert.id)
      return queries.invalidateQueries({ queryKey: trpc.alerts.unread.queryKey() })
    },
  })
  const mute = useMute({
    show: ({ id, mutedUntil }) => {
      setFailed(null)
      for (const alert of alerts ?? [])
        if (alert.ruleId === id) showRow({ ...alert, ruleMutedUntil: mutedUntil })
    },
    onFailed: ({ id }, why) => setFailed({ id, why, note: '' }),
    onSettled: ({ id }) => {
      for (const alert of alerts ?? []) if (alert.ruleId === id) readRow(alert.id)
    },
  })
  return {
    acknowledge: (alert, note) => mutate({ alert, note }),
    mute,
    findFailure: ({ id, ruleId }) =>
      failed !== null && (failed.id === id || failed.id === ruleId) ? failed.why : null,
    findNote: ({ id }) => (failed?.id === id ? failed.note : ''),
  }
}
