'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { Label } from '@/server/labels/label-input.ts'

const LOOKS = { good: 'passed', bad: 'rejected' } as const
const WORDS = { good: 'Good example', bad: 'Bad' } as const

interface LabelProps {
  readonly sessionId: string
  /** Sequence number of the decision; 0: the session. */
  readonly seq: number
}

interface ControlProps extends LabelProps {
  /** False: no change to the rules can be searched, as for content. */
  readonly canPrevent: boolean
}

function useLabel({ sessionId, seq }: LabelProps) {
  const subject = seq === 0 ? 'the session' : `#${seq}`
  const trpc = useTRPC()
  const queries = useQueryClient()
  const query = useQuery(trpc.labels.list.queryOptions({ sessionId }))
  useReadOnChange({ kind: 'label', id: sessionId }, query)
  const right = useRight('editor')
  const change = useMutation(
    trpc.labels.set.mutationOptions({
      // Also when the control is gone, as after a key.
      onSuccess: (_, { label }) =>
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
  const set = (label: Label | null): void => {
    if (right.isAllowed) change.mutate({ sessionId, seq, label })
    else if (right.reason !== null) toast(right.reason)
  }
  return { found: query.data?.find((label) => label.seq === seq), right, subject, set }
}

/** Shows the label of a session, call or stop, and sets or removes it. */
export function LabelControl({
  hasKey,
  canPrevent,
  ...labeled
}: ControlProps & { readonly hasKey: boolean }) {
  const { found, right, subject, set } = useLabel(labeled)
  const props = { ...right, className: 'no-print self-start' }
  return (
    <>
      {found === undefined ? (
        <ReasonedButton {...props} onClick={() => set('bad')}>
          {labeled.seq === 0 ? 'Mark as bad' : `Mark ${subject} as bad`}
          {hasKey ? <Kbd>!</Kbd> : null}
        </ReasonedButton>
      ) : (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-text-2">
          <StatusBadge status={LOOKS[found.label]}>{WORDS[found.label]}</StatusBadge>
          <span>
            {found.by}, <Timestamp at={found.at} />
          </span>
          {found.label === 'bad' && canPrevent ? (
            <Link
              className="no-print text-link"
              href={`/sessions/${labeled.sessionId}/prevent/${labeled.seq}`}
            >
              Prevent it ›
            </Link>
          ) : null}
          <ReasonedButton
            {...props}
            aria-label={`Remove the label of ${subject}`}
            onClick={() => set(null)}
          >
            <X aria-hidden size={14} />
          </ReasonedButton>
        </span>
      )}
    </>
  )
}

/** Sets a label once, and tells the page. */
export function SetLabel({
  label,
  onDone,
  ...labeled
}: LabelProps & { readonly label: Label; readonly onDone: () => void }) {
  const { set } = useLabel(labeled)
  const run = useEffectEvent(() => {
    set(label)
    onDone()
  })
  useEffect(() => run(), [])
  return null
}

/** The label of what a page explains, with the page's key and actions. */
export function PageLabel({ canPrevent, ...labeled }: ControlProps) {
  const { right, subject, set } = useLabel(labeled)
  const refusal = right.reason ?? undefined
  const bad = { name: `Mark ${subject} as bad`, run: () => set('bad'), refusal }
  const good = { name: `Mark ${subject} as a good example`, run: () => set('good'), refusal }
  usePageKeys('labels', [
    { keys: 'Shift+!', shown: '!', does: `mark ${subject} as bad`, run: bad.run },
  ])
  usePageActions([bad, good])
  return <LabelControl {...labeled} canPrevent={canPrevent} hasKey />
}
