'use client'
// Parses the texts like the server, which needs a chunk of its own: load it lazily.
import { diffConfigs } from '@signalbox/core/analysis'
import { parseConfigText } from '@signalbox/wire'
import { useMemo } from 'react'
import { ChangeList } from '@/components/kit/diff/change-list.tsx'

export interface TextChangesProps {
  /** Null: no version was live before. */
  readonly from: string | null
  readonly to: string
  /** Absent: the heading of the card names the comparison. */
  readonly heading?: string | undefined
}

export function TextChanges({ from, to, heading }: TextChangesProps) {
  const changes = useMemo(() => {
    const before = from === null ? null : parseConfigText(from)
    const after = parseConfigText(to)
    if (!after.ok || before?.ok === false) return null
    return diffConfigs(before === null ? null : before.document, after.document)
  }, [from, to])
  return (
    <section aria-label="Changes" className="flex flex-col gap-2">
      {heading !== undefined && (
        <h3 className="font-semibold text-h2">
          {heading}
          {changes === null ? '' : ` · ${changes.length}`}
        </h3>
      )}
      {changes === null ? (
        <p className="text-text-2">
          This text was written by another build and cannot be described here.
        </p>
      ) : from === null && changes.length === 0 ? (
        <p className="text-text-2">No rules yet: every call is allowed.</p>
      ) : (
        <ChangeList changes={changes} />
      )}
    </section>
  )
}
