import type { ReactNode } from 'react'
import { BrandMark } from './brand-mark.tsx'

export function EntryCard({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <section className="w-full max-w-sm rounded-card border border-border bg-surface p-6">
        <p className="mb-4 flex items-center gap-2 font-semibold text-text-2">
          <BrandMark />
          Signalbox
        </p>
        <h1 className="mb-3 font-semibold text-h1">{title}</h1>
        {children}
      </section>
    </main>
  )
}
