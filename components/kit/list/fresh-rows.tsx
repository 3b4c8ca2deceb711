// "4 new sessions · show (r)": rows that arrived after a list was read wait here until the reader requests them.
'use client'

import { countText, pluralize } from '@signalbox/core/analysis'
import { ArrowUp } from 'lucide-react'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'

export interface FreshRowsProps {
  readonly fresh: number
  /** Singular noun: "session". */
  readonly noun: string
  /** Largest number that is counted. */
  readonly most?: number
  readonly onShow: () => void
}

export function FreshRows({
  fresh,
  noun,
  most = Number.POSITIVE_INFINITY,
  onShow,
}: FreshRowsProps) {
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
