'use client'
import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { PALETTE_BOX } from './palette-look.ts'

export function PalettePopup({
  name,
  open,
  onOpenChange,
  finalFocus,
  children,
}: {
  readonly name: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Returns false if the focus stays where it is. Absent: it always returns to the opener. */
  readonly finalFocus?: () => boolean
  readonly children: ReactNode
}) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-50 bg-text/25" />
        <Dialog.Popup className={PALETTE_BOX} finalFocus={finalFocus}>
          <Dialog.Title className="sr-only">{name}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
