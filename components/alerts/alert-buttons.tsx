'use client'

import { useRight } from '@/components/shell/use-right.ts'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import type { ListedAlert } from '@/server/alerts/alert-list.sql.ts'
import { MuteMenu } from './mute-menu.tsx'
import { type AlertActs, toMutedRule } from './use-alert-acts.ts'

export interface AlertButtonsProps {
  readonly alert: ListedAlert
  readonly acts: AlertActs
  readonly onAcknowledge: () => void
  /** Only the next action. Absent: all. */
  readonly isBrief?: boolean
}

export function AlertButtons({ alert, acts, onAcknowledge, isBrief = false }: AlertButtonsProps) {
  const right = useRight('editor')
  const isOpen = alert.acknowledgedAt === null && alert.isFiring
  return (
    <>
      {isOpen ? (
        <ReasonedButton {...right} onClick={onAcknowledge}>
          Acknowledge…
        </ReasonedButton>
      ) : null}
      {isOpen && isBrief ? null : <MuteMenu rule={toMutedRule(alert)} onMute={acts.mute} />}
    </>
  )
}
