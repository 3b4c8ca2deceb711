// At most one line every five seconds. The list itself is never a live region.
'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useEffect, useRef, useState } from 'react'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'

const ANNOUNCE_EVERY_MS = 5_000
const REFUSED: readonly (string | null)[] = ['denied', 'blocked', 'error']

function since(entries: readonly IndexEntry[], seq: number): readonly IndexEntry[] {
  const first = entries.findLastIndex(([one]) => one <= seq)
  return entries.slice(first + 1)
}

function newsText(news: readonly IndexEntry[]): string {
  if (news.length === 0) return ''
  const refused = news.filter(([, , , verdict]) => REFUSED.includes(verdict)).length
  const events = plural(news.length, 'new event')
  return refused === 0 ? events : `${events}, ${countText(refused)} denied or blocked`
}

/** `openedWith`: events up to it are no news. */
export function NewsLine({
  entries,
  openedWith,
}: {
  readonly entries: readonly IndexEntry[]
  readonly openedWith: number
}) {
  const held = useRef(entries)
  const [text, setText] = useState('')
  useEffect(() => {
    held.current = entries
  }, [entries])
  useEffect(() => {
    let said = openedWith
    const timer = setInterval(() => {
      const news = since(held.current, said)
      said = Math.max(said, held.current.at(-1)?.[0] ?? 0)
      setText(newsText(news))
    }, ANNOUNCE_EVERY_MS)
    return () => clearInterval(timer)
  }, [openedWith])
  return (
    <p aria-live="polite" className="sr-only">
      {text}
    </p>
  )
}
