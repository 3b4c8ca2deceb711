import type { ReactNode } from 'react'
import { Words } from './words.tsx'

/** A short text that expands into the full one. */
export function ExpandableWords({
  text,
  children,
}: {
  readonly text: string
  readonly children: ReactNode
}) {
  return (
    <details>
      <summary className="py-0.5 pointer-coarse:py-3">
        <Words text={text} />
      </summary>
      <div className="flex flex-col gap-1 pb-1 pl-4 text-small text-text-2">{children}</div>
    </details>
  )
}
