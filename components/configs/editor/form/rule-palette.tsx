'use client'
import { Dialog } from '@base-ui/react/dialog'
import type { JsonObject } from '@signalbox/core'
import { Command } from 'cmdk'
import { useRef } from 'react'
import { PALETTE_BOX, PALETTE_INPUT } from '@/components/palette/palette-look.ts'

export interface RuleChoice {
  readonly type: string
  readonly label: string
  readonly about: string
  readonly rule: JsonObject
}

export function RulePalette({
  title,
  choices,
  open,
  onChoose,
  onOpenChange,
}: {
  readonly title: string
  readonly choices: readonly RuleChoice[]
  readonly open: boolean
  readonly onChoose: (choice: RuleChoice) => void
  readonly onOpenChange: (open: boolean) => void
}) {
  // A new rule takes the focus itself.
  const hasChosen = useRef(false)
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(isOpen) => {
        hasChosen.current = false
        onOpenChange(isOpen)
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-50 bg-text/25" />
        <Dialog.Popup className={PALETTE_BOX} finalFocus={() => !hasChosen.current}>
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          <Command label={title}>
            <Command.Input
              placeholder="Search rule types"
              className={PALETTE_INPUT}
              // The dialog takes the focus one frame later, and the user may already be typing.
              autoFocus
            />
            <Command.List className="max-h-[60vh] overflow-y-auto p-1">
              <Command.Empty className="px-2 py-3 text-text-2">Nothing found.</Command.Empty>
              {choices.map((choice) => (
                <Command.Item
                  key={choice.type}
                  value={choice.type}
                  keywords={[choice.label, choice.about]}
                  onSelect={() => {
                    hasChosen.current = true
                    onChoose(choice)
                  }}
                  className="flex cursor-pointer flex-col rounded-control px-2 py-1.5 aria-selected:bg-row-hover"
                >
                  <span className="font-medium">{choice.label}</span>
                  <span className="text-small text-text-2">{choice.about}</span>
                </Command.Item>
              ))}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
