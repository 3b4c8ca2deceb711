'use client'

import { useState } from 'react'
import { useRight } from '@/components/shell/use-right.ts'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { Menu } from '@/components/ui/menu.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { useNow } from '@/components/ui/time.tsx'
import type { MutedRule } from './use-mute.ts'

const MuteUntilDialog = lazyDialog(() =>
  import('./mute-until-dialog.tsx').then((module) => module.MuteUntilDialog),
)

const HOUR_MS = 3_600_000
const HOURS = [1, 8, 24] as const

export function useIsMuted(mutedUntil: number | null): boolean {
  const now = useNow()
  return mutedUntil !== null && now !== null && mutedUntil > now
}

export function MuteMenu({
  rule,
  onMute,
}: {
  readonly rule: MutedRule
  /** `until`: epoch ms; null: unmute. */
  readonly onMute: (rule: MutedRule, until: number | null) => void
}) {
  const right = useRight('editor')
  const isMuted = useIsMuted(rule.mutedUntil)
  const [isOpen, setOpen] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const text = isMuted ? 'Muted' : 'Mute'
  if (!right.isAllowed) return <ReasonedButton {...right}>{text}</ReasonedButton>
  return (
    <>
      <Menu
        label={`${text} ${rule.name}`}
        text={text}
        open={isOpen}
        onOpenChange={setOpen}
        items={[
          ...HOURS.map((hours) => ({
            name: hours === 1 ? 'Mute rule for 1 hour' : `Mute rule for ${hours} hours`,
            onSelect: () => onMute(rule, Date.now() + hours * HOUR_MS),
          })),
          { name: 'Mute rule until…', onSelect: () => setAsking(true) },
          ...(isMuted
            ? [{ name: 'Unmute rule', isApart: true, onSelect: () => onMute(rule, null) }]
            : []),
        ]}
      />
      {isAsking ? (
        <MuteUntilDialog
          name={rule.name}
          onMute={(until) => onMute(rule, until)}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}
