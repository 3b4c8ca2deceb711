'use client'

import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useRight } from '@/components/shell/use-right.ts'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { RuleDialog } from './lazy-rule-dialog.ts'

export function NewRuleButton() {
  const right = useRight('admin')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ReasonedButton {...right} variant="primary" onClick={() => setOpen(true)}>
        <Plus size={14} aria-hidden />
        New rule
      </ReasonedButton>
      {isOpen ? <RuleDialog rule={null} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
