'use client'

import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
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
import type { Label } from '@/server/labels/label-input.ts'
import { type LabelProps, nameLabeled } from './label-props.ts'
import { SetLabel } from './lazy-set-label.ts'

const LOOKS = { good: 'passed', bad: 'rejected' } as const
const WORDS = { good: 'Good example', bad: 'Bad' } as const

interface ControlProps extends LabelProps {
  /** False: no change to the rules can be searched, as for content. */
  readonly canPrevent: boolean
}

function useLabel({ sessionId, seq }: LabelProps) {
  const [wanted, setWanted] = useState<Label | null | undefined>(undefined)
  const trpc = useTRPC()
  const query = useQuery(trpc.labels.list.queryOptions({ sessionId }))
  useReadOnChange({ kind: 'label', id: sessionId }, query)
  return {
    found: query.data?.find((label) => label.seq === seq),
    right: useRight('editor'),
    subject: nameLabeled(seq),
    set: setWanted,
    setting:
      wanted === undefined ? null : (
        <SetLabel
          sessionId={sessionId}
          seq={seq}
          label={wanted}
          onDone={() => setWanted(undefined)}
        />
      ),
  }
}

/** Shows the label of a session, call or stop, and sets or removes it. */
export function LabelControl({
  hasKey,
  canPrevent,
  ...labeled
}: ControlProps & { readonly hasKey: boolean }) {
  const { found, right, subject, set, setting } = useLabel(labeled)
  const props = { ...right, className: 'no-print self-start' }
  return (
    <>
      {setting}
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

/** The label of what a page explains, with the page's key and actions. */
export function PageLabel({ canPrevent, ...labeled }: ControlProps) {
  const { right, subject, set, setting } = useLabel(labeled)
  const refusal = right.reason ?? undefined
  const bad = { name: `Mark ${subject} as bad`, run: () => set('bad'), refusal }
  const good = { name: `Mark ${subject} as a good example`, run: () => set('good'), refusal }
  usePageKeys('labels', [
    { keys: 'Shift+!', shown: '!', does: `mark ${subject} as bad`, run: bad.run },
  ])
  usePageActions([bad, good])
  return (
    <>
      {setting}
      <LabelControl {...labeled} canPrevent={canPrevent} hasKey />
    </>
  )
}
