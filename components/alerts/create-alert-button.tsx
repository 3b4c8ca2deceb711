// From what somebody looks at to a rule that tells of it when it comes again: the rule's dialog, filled in, with its preview.
'use client'

import { BellRing } from 'lucide-react'
import { useState } from 'react'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import type { Draft } from './rule-draft.ts'
import { useAlertRight } from './use-alert-right.ts'

export function CreateAlertButton({ start }: { readonly start: Partial<Draft> }) {
  const right = useAlertRight('manage')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ReasonedButton {...right} className="no-print" onClick={() => setOpen(true)}>
        <BellRing size={14} aria-hidden />
        Create alert
      </ReasonedButton>
      {isOpen ? <RuleDialog rule={null} start={start} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
