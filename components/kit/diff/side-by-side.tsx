'use client'
// Two texts and their names in a card of their own, side by side where there is room.
import { LateTextDiff } from './late-text-diff.tsx'
import type { TextDiffProps } from './text-diff.tsx'

export function SideBySide(texts: TextDiffProps) {
  return (
    <section aria-label="Side by side" className="rounded-card border border-border bg-surface">
      <LateTextDiff {...texts} />
    </section>
  )
}
