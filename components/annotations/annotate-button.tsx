'use client'

import { StickyNote } from 'lucide-react'
import { useState } from 'react'
import { Kbd } from '@/components/ui/kbd.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { AnnotationDialog } from './lazy-annotation-dialog.ts'
import { useAnnotationRight } from './use-annotations.ts'

export interface AnnotateProps {
  readonly sessionId: string
  /** Null: annotates the session. */
  readonly seq: number | null
}

export function AnnotateButton({
  seq,
  onAsk,
  hasKey = false,
}: Pick<AnnotateProps, 'seq'> & {
  readonly onAsk: () => void
  /** The page binds the key `a` to this button. */
  readonly hasKey?: boolean
}) {
  const { isAllowed, reason } = useAnnotationRight()
  return (
    <ReasonedButton
      isAllowed={isAllowed}
      reason={reason}
      onClick={onAsk}
      className="no-print self-start"
    >
      <StickyNote aria-hidden size={14} />
      {seq === null ? 'Annotate' : `Annotate #${seq}`}
      {hasKey ? <Kbd>a</Kbd> : null}
    </ReasonedButton>
  )
}

export function Annotate({
  sessionId,
  seq,
  hasKey,
}: AnnotateProps & { readonly hasKey?: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <AnnotateButton seq={seq} hasKey={hasKey === true} onAsk={() => setOpen(true)} />
      {isOpen ? (
        <AnnotationDialog draft={{ kind: 'new', sessionId, seq }} onClose={() => setOpen(false)} />
      ) : null}
    </>
  )
}
