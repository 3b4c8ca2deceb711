import { type Linked, linkedAt } from '@/components/kit/list/copy-link.ts'
import { withoutPrefix } from '@/components/paths/prefix.ts'
import { eventLook } from './rows/event-look.ts'
import type { EventRow } from './rows/session-rows.ts'

export function eventPath(sessionId: string, seq: number): string {
  return `/e/evt_${sessionId.replace(/^sess_/, '')}_${seq}`
}

/** Without an event, the address of the current page. */
export function linkedEvent(
  { id, ns, key }: { readonly id: string; readonly ns: string; readonly key: string },
  row: EventRow | null,
): Linked {
  const { pathname, search } = window.location
  if (row === null) return linkedAt(`${withoutPrefix(pathname)}${search}`, `${ns}/${key}`)
  const said = [eventLook(row).word, row.text || row.subject].filter((text) => text !== '')
  return linkedAt(eventPath(id, row.seq), `#${row.seq} ${said.join(': ')}`)
}
