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
}

export function AlertButtons({ alert, acts, onAcknowledge }: AlertButtonsProps) {
  const right = useRight('editor')
  return (
    <>
      {alert.acknowledgedAt === null && alert.isFiring ? (
        <ReasonedButton {...right} onClick={onAcknowledge}>
          Acknowledge…
        </ReasonedButton>
      ) : null}
      <MuteMenu rule={toMutedRule(alert)} onMute={acts.mute} />
    </>
  )
}
