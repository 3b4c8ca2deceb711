'use client'

import { LazyTextDiff } from './lazy-text-diff.tsx'
import type { TextDiffProps } from './text-diff.tsx'

export function SideBySide(texts: TextDiffProps) {
  return (
    <section aria-label="Side by side" className="rounded-card border border-border bg-surface">
      <LazyTextDiff {...texts} />
    </section>
  )
}
