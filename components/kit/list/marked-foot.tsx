// Actions on the marked rows of a list: compare the sessions of two, copy the links of all.
'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { Check } from 'lucide-react'
import { serverAddress } from '@/components/paths/prefix.ts'
import { Button } from '@/components/ui/button.tsx'
import { Link } from '@/components/ui/link.tsx'
import type { MenuItem } from '@/components/ui/menu-button.tsx'
import { copyText } from './copy-link.ts'
import type { Marks } from './use-marks.ts'

/** The ids `stop_…_7` and `dec_…_7` contain the id of their session. */
export function toParentSessionId(id: string): string {
  return id.replace(/^[a-z]+_/, 'sess_').replace(/_\d+$/, '')
}

export function MarkIcon({ marks, id }: { readonly marks: Marks; readonly id: string }) {
  if (!marks.ids.has(id)) return null
  return <Check size={14} className="mr-1 inline shrink-0 align-[-2px]" aria-label="marked" />
}

export function markAction(marks: Marks, id: string): MenuItem {
  return { name: marks.ids.has(id) ? 'Unmark' : 'Mark', onSelect: () => marks.toggle(id) }
}

export function MarkedFoot({
  marks,
  base,
}: {
  readonly marks: Marks
  /** Path before the id: `/stops/`. */
  readonly base: string
}) {
  const ids = [...marks.ids]
  if (ids.length === 0) return null
  const sessions = [...new Set(ids.map(toParentSessionId))]
  const copy = (): void => {
    const links = ids.map((id) => `${serverAddress()}${base}${id}`)
    copyText(
      links.join('\n'),
      ids.length === 1 ? 'Link copied' : `${plural(ids.length, 'link')} copied`,
    )
  }
  return (
    <footer
      role="status"
      className="sticky bottom-0 z-20 flex flex-wrap items-center gap-x-3 gap-y-1 border-border border-t bg-surface px-4 py-1.5 text-small text-text-2"
    >
      <span>{countText(ids.length)} marked</span>
      {sessions.length === 2 ? (
        <Link
          className="text-link underline"
          href={`/sessions/compare?a=${sessions[0]}&b=${sessions[1]}`}
        >
          Compare their sessions
        </Link>
      ) : null}
      <Button onClick={copy}>Copy links</Button>
      <Button onClick={marks.clear}>Unmark</Button>
    </footer>
  )
}
