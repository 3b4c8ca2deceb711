// Mutes a rule for a chosen time.
'use client'

import { useState } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Menu } from '@/components/ui/menu.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { useNow, useZone } from '@/components/ui/time.tsx'
import { instantIn, localIn } from '@/components/ui/zoned-time.ts'
import { useAlertRight } from './use-alert-right.ts'
import type { MutedRule } from './use-mute.ts'

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
  /** `until`: epoch ms; null: not any more. */
  readonly onMute: (rule: MutedRule, until: number | null) => void
}) {
  const right = useAlertRight('acknowledge')
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
        <UntilDialog
          name={rule.name}
          onMute={(until) => onMute(rule, until)}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}

function UntilDialog({
  name,
  onMute,
  onClose,
}: {
  readonly name: string
  readonly onMute: (until: number) => void
  readonly onClose: () => void
}) {
  const zone = useZone()
  const [local, setLocal] = useState(() => localIn(Date.now() + 24 * HOUR_MS, zone))
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const submit = (): void => {
    const until = instantIn(local, zone)
    if (until === null || until <= Date.now()) {
      setProblem('Choose a time in the future.')
      return
    }
    onMute(until)
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Mute ${name} until…`}
      description="It keeps firing, but no notifications are sent. Alerts stay in the list."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={submit}>
            Mute the rule
          </Button>
        </>
      }
    >
      <Field label={`Date and time (${zone})`} error={problem}>
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            className="w-56"
            value={local}
            onChange={({ currentTarget }) => setLocal(currentTarget.value)}
          />
        )}
      </Field>
    </Dialog>
  )
}
