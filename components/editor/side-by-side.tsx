'use client'
// Two texts under their names, side by side; what compares them is fetched when it is wanted.
import { latePart } from '../ui/late-part.tsx'
import { Skeleton } from '../ui/states.tsx'

const TextDiff = latePart(
  () => import('./text-diff.tsx').then((module) => module.TextDiff),
  <Skeleton className="h-40" />,
)

export function SideBySide({
  before,
  after,
  labels,
}: {
  readonly before: string
  readonly after: string
  readonly labels: readonly [string, string]
}) {
  return (
    <section aria-label="Side by side" className="rounded-card border border-border bg-surface">
      <div className="grid grid-cols-2 border-border border-b text-small text-text-2">
        {labels.map((label) => (
          <span key={label} className="px-3 py-1">
            {label}
          </span>
        ))}
      </div>
      <TextDiff before={before} after={after} labels={labels} />
    </section>
  )
}
