'use client'
import { Command } from 'cmdk'
import { useRef } from 'react'
import { PALETTE_INPUT } from '@/components/palette/palette-look.ts'
import { PalettePopup } from '@/components/palette/palette-popup.tsx'
import type { OfferedType } from '../document/new-rules.ts'

export function RulePalette({
  title,
  choices,
  open,
  onChoose,
  onOpenChange,
}: {
  readonly title: string
  readonly choices: readonly OfferedType[]
  readonly open: boolean
  readonly onChoose: (choice: OfferedType) => void
  readonly onOpenChange: (open: boolean) => void
}) {
  // A new rule takes the focus itself.
  const hasChosen = useRef(false)
  return (
    <PalettePopup
      name={title}
      open={open}
      onOpenChange={(isOpen) => {
        hasChosen.current = false
        onOpenChange(isOpen)
      }}
      finalFocus={() => !hasChosen.current}
    >
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
    </PalettePopup>
  )
}
