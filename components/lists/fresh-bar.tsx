// What began since a list was read waits here until the reader asks for it, so that nothing moves while they read.
'use client'

import { ArrowUp } from 'lucide-react'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'

export function FreshBar({
  fresh,
  noun,
  onShow,
}: {
  readonly fresh: number
  /** What a row is: "session". */
  readonly noun: string
  readonly onShow: () => void
}) {
  return (
    <>
      {fresh > 0 ? (
        <div className="shrink-0 border-border border-b bg-surface px-4 py-1.5">
          <Button onClick={onShow}>
            <ArrowUp aria-hidden size={14} />
            {fresh} new {fresh === 1 ? noun : `${noun}s`} · show <Kbd>r</Kbd>
          </Button>
        </div>
      ) : null}
      <p aria-live="polite" className="sr-only">
        {fresh > 0 ? `${fresh} new ${fresh === 1 ? noun : `${noun}s`}` : ''}
      </p>
    </>
  )
}
