'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { Check } from 'lucide-react'
import { serverAddress } from '@/components/paths/prefix.ts'
import { Button } from '@/components/ui/button.tsx'
import { Link } from '@/components/ui/link.tsx'
import type { MenuItem } from '@/components/ui/menu-button.tsx'
import { copyText } from './copy-link.ts'
import type { Marks } from './use-marks.ts'

export function MarkIcon({ marks, id }: { readonly marks: Marks; readonly id: string }) {
  if (!marks.ids.has(id)) return null
  return (
    <Check size={14} className="mr-1 inline shrink-0 align-[-2px]" role="img" aria-label="marked" />
  )
}

export function markAction(marks: Marks, id: string): MenuItem {
  return { name: marks.ids.has(id) ? 'Unmark' : 'Mark', onSelect: () => marks.toggle(id) }
}

interface MarkedProps {
  readonly marks: Marks
  readonly face: {
    readonly buildLink: (id: string) => string
    readonly toSessionId?: (id: string) => string
    readonly compareWords?: string
  }
}

export function MarkedActions({
  marks,
  face: { buildLink, toSessionId, compareWords },
}: MarkedProps) {
  const ids = [...marks.ids]
  const sessions = toSessionId === undefined ? [] : [...new Set(ids.map(toSessionId))]
  const copy = (): void => {
    const links = ids.map((id) => `${serverAddress()}${buildLink(id)}`)
    copyText(links.join('\n'), `${plural(ids.length, 'link')} copied`)
  }
  return (
    <>
      <span>{countText(ids.length)} marked</span>
      {sessions.length === 2 ? (
        <Link
          className="text-link underline"
          href={`/sessions/compare?a=${sessions[0]}&b=${sessions[1]}`}
        >
          {compareWords}
        </Link>
      ) : null}
      <Button onClick={copy}>Copy links</Button>
      <Button onClick={marks.clear}>Unmark</Button>
    </>
  )
}

export function MarkedFoot(props: MarkedProps) {
  if (props.marks.ids.size === 0) return null
  return (
    <footer
      role="status"
      className="sticky bottom-0 z-20 flex flex-wrap items-center gap-x-3 gap-y-1 border-border border-t bg-surface px-4 py-1.5 text-small text-text-2"
    >
      <MarkedActions {...props} />
    </footer>
  )
}
