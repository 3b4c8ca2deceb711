'use client'

import { plural } from '@signalbox/core/analysis'
import { ArrowDown } from 'lucide-react'

export function NewEventsPill({
  count,
  onShow,
}: {
  readonly count: number
  readonly onShow: () => void
}) {
  return (
    <button
      type="button"
      onClick={onShow}
      className="absolute bottom-4 left-1/2 inline-flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-control bg-accent px-3 font-medium text-on-accent shadow-lg pointer-coarse:h-11"
    >
      <ArrowDown aria-hidden size={14} />
      {plural(count, 'new event')}
    </button>
  )
}
