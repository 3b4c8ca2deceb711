// Holds new rows until the user shows them, laid over the head of a list with its own scroll box, so that no row moves.
'use client'

import { FreshRows, type FreshRowsProps } from './fresh-rows.tsx'

export function FreshBar(news: FreshRowsProps) {
  return (
    <div className="relative z-20 h-0 shrink-0">
      <div className="absolute inset-x-0 top-0.5 flex justify-center *:pointer-events-auto pointer-events-none">
        <FreshRows {...news} />
      </div>
    </div>
  )
}
