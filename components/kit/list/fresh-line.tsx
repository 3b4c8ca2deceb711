// The line above a live list always exists, so that no row moves when the offer of new rows appears.
'use client'

import { countText, pluralize } from '@signalbox/core/analysis'
import { ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import type { FreshRows } from './use-live-list.ts'

export function FreshLine({
  fresh: { count, most, show },
  noun,
  children,
}: {
  readonly fresh: FreshRows
  readonly noun: string
  readonly children: ReactNode
}) {
  const text = `${countText(count)}${count >= most ? '+' : ''} new ${count === 1 ? noun : pluralize(noun)}`
  return (
    <div className="flex h-9 shrink-0 items-center gap-3 pointer-coarse:h-11 border-border border-b px-4 text-small text-text-2">
      {children}
      {count === 0 ? null : (
        <Button onClick={show}>
          <ArrowUp aria-hidden size={14} />
          {text} · show <Kbd>r</Kbd>
        </Button>
      )}
      <span aria-live="polite" className="sr-only">
        {count === 0 ? '' : text}
      </span>
    </div>
  )
}
