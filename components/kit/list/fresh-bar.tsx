// Announces new rows, which wait until the user shows them. Overlays the head of a list with its own scroll box, so that no row moves.
'use client'

import { countText, pluralize } from '@signalbox/core/analysis'
import { ArrowUp } from 'lucide-react'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'

interface FreshRowsProps {
  readonly fresh: number
  /** Singular noun: "session". */
  readonly noun: string
  /** Largest number that is counted. */
  readonly most?: number
  readonly onShow: () => void
}

function FreshRows({ fresh, noun, most = Number.POSITIVE_INFINITY, onShow }: FreshRowsProps) {
  const text = `${countText(fresh)}${fresh >= most ? '+' : ''} new ${fresh === 1 ? noun : pluralize(noun)}`
  return (
    <>
      {fresh === 0 ? null : (
        <Button onClick={onShow}>
          <ArrowUp aria-hidden size={14} />
          {text} · show <Kbd>r</Kbd>
        </Button>
      )}
      <span aria-live="polite" className="sr-only">
        {fresh === 0 ? '' : text}
      </span>
    </>
  )
}

export function FreshBar(news: FreshRowsProps) {
  return (
    <div className="relative z-20 h-0 shrink-0">
      <div className="absolute inset-x-0 top-0.5 flex justify-center *:pointer-events-auto pointer-events-none">
        <FreshRows {...news} />
      </div>
    </div>
  )
}
