// Addresses of a session and its events, and how they are copied.
import { toast } from '@/components/ui/toast.tsx'
import { eventLook } from './event-look.ts'
import type { EventRow } from './session-rows.ts'

export function eventPath(sessionId: string, seq: number): string {
  return `/e/evt_${sessionId.replace(/^sess_/, '')}_${seq}`
}

/** The event's own address; without one the page as it is looked at. */
export function linkOf(sessionId: string, row: EventRow | null): string {
  const { origin, pathname, search } = window.location
  return row === null
    ? `${origin}${pathname}${search}`
    : `${origin}${eventPath(sessionId, row.seq)}`
}

/** `[#1209 Stop blocked: 2 of 5 plan steps are not done](…)` */
export function markdownOf(row: EventRow, link: string): string {
  const said = [eventLook(row).word, row.text || row.subject].filter((text) => text !== '')
  const title = `#${row.seq} ${said.join(': ')}`.replace(/[[\]\\]/g, '\\$&')
  return `[${title}](${link})`
}

export function copyText(text: string, done: string): void {
  navigator.clipboard.writeText(text).then(
    () => toast(done),
    () => toast(`The browser does not allow copying here: ${text}`),
  )
}
