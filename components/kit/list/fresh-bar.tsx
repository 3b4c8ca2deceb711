// Overlays the head of a list with its own scroll box, so that no row moves.
'use client'

import { countText, pluralize } from '@signalbox/core/analysis'
import { ArrowUp } from 'lucide-react'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import type { FreshRows } from './use-live-list.ts'

export function FreshBar({
  fresh: { count, most, show },
  noun,
}: {
  readonly fresh: FreshRows
  readonly noun: string
}) {
  const text = `${countText(count)}${count >= most ? '+' : ''} new ${count === 1 ? noun : pluralize(noun)}`
  return (
    <div className="relative z-20 h-0 shrink-0">
      <div className="absolute inset-x-0 top-0.5 flex justify-center *:pointer-events-auto pointer-events-none">
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
    </div>
  )
}
