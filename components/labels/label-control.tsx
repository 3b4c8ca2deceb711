'use client'

import { X } from 'lucide-react'
import { useState } from 'react'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { Label } from '@/server/labels/label-input.ts'
import { type LabelProps, nameLabeled } from './label-props.ts'
import { SetLabel } from './lazy-set-label.ts'
import { MarkButton } from './mark-button.tsx'
import { useFoundLabel } from './use-found-label.ts'

const LOOKS = { good: 'passed', bad: 'rejected' } as const
const WORDS = { good: 'Good example', bad: 'Bad' } as const

interface ControlProps extends LabelProps {
  /** False: no change to the rules can be searched, as for content. */
  readonly canPrevent: boolean
}

function useSetting({ sessionId, seq }: LabelProps) {
  const [wanted, setWanted] = useState<Label | null | undefined>(undefined)
  return {
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
  const found = useFoundLabel(labeled)
  const { right, subject, set, setting } = useSetting(labeled)
  return (
    <>
      {setting}
      {found === undefined ? (
        <MarkButton seq={labeled.seq} hasKey={hasKey} onMark={() => set('bad')} />
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
            {...right}
            className="no-print self-start"
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
  const { right, subject, set, setting } = useSetting(labeled)
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
