// Keys of the sessions list: they move the focus over the rows, or act on the row that has it.
'use client'

import type { RefObject } from 'react'
import { linkedAt, openPage } from '@/components/kit/list/copy-link.ts'
import { focusFilter, listKeys } from '@/components/kit/list/list-keys.ts'
import type { Marks } from '@/components/kit/list/use-marks.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { toast } from '@/components/ui/toast.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'

export interface SessionKeys {
  readonly sessions: readonly SessionFacts[]
  readonly chosen: string | null
  readonly wantsFocus: RefObject<boolean>
  readonly search: RefObject<HTMLInputElement | null>
  readonly choose: (id: string) => void
  /** Leads to another page. */
  readonly go: (path: string) => void
  readonly togglePeek: () => void
  readonly closePeek: () => void
  readonly marks: Marks
  readonly showFresh: () => void
}

/** Of the row that the focus is in, else of the chosen one; -1 for none. */
function currentRow({ sessions, chosen }: Pick<SessionKeys, 'sessions' | 'chosen'>): number {
  const focused = document.activeElement?.closest('[data-session]')?.getAttribute('data-session')
  return sessions.findIndex(({ id }) => id === (focused ?? chosen))
}

function openMenu({ id }: SessionFacts): void {
  document.querySelector<HTMLElement>(`[data-session="${id}"] [data-row-actions]`)?.click()
}

export function useSessionKeys(props: SessionKeys): void {
  const { sessions, wantsFocus, search, choose, go, marks } = props
  const current = (): SessionFacts | undefined => sessions[currentRow(props)]
  const move = (index: number): SessionFacts | undefined => {
    const next = sessions[Math.max(0, Math.min(sessions.length - 1, index))]
    if (next === undefined) return undefined
    wantsFocus.current = true
    choose(next.id)
    return next
  }
  const withCurrent = (act: (session: SessionFacts) => void) => (): void => {
    const session = current()
    if (session !== undefined) act(session)
  }
  const why = withCurrent(({ lastStopId }) => {
    if (lastStopId === null) toast('This session has no stop attempts yet.')
    else go(`/stops/${lastStopId}`)
  })
  const linked = () => {
    const session = current()
    if (session === undefined) return openPage()
    return linkedAt(`/sessions/${session.id}`, `${session.ns}/${session.key}`)
  }
  usePageKeys(
    'sessions',
    listKeys({
      noun: 'session',
      move: (by) => void move(currentRow(props) + by),
      first: () => void move(0),
      last: () => void move(sessions.length - 1),
      open: withCurrent(({ id }) => go(`/sessions/${id}`)),
      peek: props.togglePeek,
      closePeek: props.closePeek,
      mark: withCurrent(({ id }) => marks.toggle(id)),
      extend: (by) => {
        const session = current()
        const next = move(currentRow(props) + by)
        if (session !== undefined && next !== undefined) {
          marks.add([session.id, next.id])
        }
      },
      ...{ why, linked, filter: focusFilter, showFresh: props.showFresh },
      actions: withCurrent(openMenu),
      search: () => search.current?.select(),
    }),
  )
}
