'use client'

import { BellRing } from 'lucide-react'
import { useState } from 'react'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { RuleDialog } from './lazy-rule-dialog.ts'
import type { Draft } from './rule-draft.ts'

const NOTHING_OFFERED: readonly never[] = []

export function CreateAlertButton({
  start,
  isPageAction = false,
}: {
  readonly start: Partial<Draft>
  /** True: the palette offers the action, because the page shows the object of the rule. */
  readonly isPageAction?: boolean
}) {
  const right = useRight('admin')
  const [isOpen, setOpen] = useState(false)
  const create = (): void => setOpen(true)
  usePageActions(
    isPageAction
      ? [{ name: 'Create alert…', run: create, refusal: right.reason ?? undefined }]
      : NOTHING_OFFERED,
  )
  return (
    <>
      <ReasonedButton {...right} className="no-print" onClick={create}>
        <BellRing size={14} aria-hidden />
        Create alert
      </ReasonedButton>
      {isOpen ? <RuleDialog rule={null} start={start} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
