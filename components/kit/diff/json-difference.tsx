'use client'
// Loads when the reader opens it.
import { useState } from 'react'
import { LazyTextDiff } from './lazy-text-diff.tsx'
import type { TextDiffProps } from './text-diff.tsx'

export function JsonDifference({
  startsOpen = false,
  ...texts
}: TextDiffProps & { readonly startsOpen?: boolean }) {
  const [isOpen, setOpen] = useState(startsOpen)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer py-1 text-text-2 pointer-coarse:py-2">JSON</summary>
      {isOpen && (
        <div className="mt-1 max-h-[50dvh] overflow-y-auto rounded-control border border-border">
          <LazyTextDiff {...texts} />
        </div>
      )}
    </details>
  )
}
