// A row in short, beside its list; on a narrow screen as a sheet. The list keeps the keys.
'use client'

import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { useMedia } from '@/components/ui/use-width.ts'

export interface PeekProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Peek({ title, onClose, children }: PeekProps) {
  const isNarrow = useMedia('(max-width: 1023px)')
  if (isNarrow) {
    return (
      <Dialog isSheet open onOpenChange={(isOpen) => !isOpen && onClose()} title={title}>
        {children}
      </Dialog>
    )
  }
  return (
    <aside
      aria-label="Peek"
      className="flex w-[360px] shrink-0 flex-col overflow-y-auto border-border border-l bg-surface"
    >
      <header className="flex items-center justify-between gap-2 border-border border-b px-3 py-1.5">
        <h2 className="min-w-0 truncate font-semibold text-h2">{title}</h2>
        <IconButton label="Close the peek" onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </header>
      <div className="px-3 py-2">{children}</div>
    </aside>
  )
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-text-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid grid-cols-[88px_minmax(0,1fr)] gap-x-2 gap-y-1">{children}</dl>
}
