'use client'
// One line about where the text is saved: on the server, or only in this browser.
import { clockText, useZone } from '@/components/ui/time.tsx'
import type { SaveState } from './draft-saver.ts'

export function SaveStatus({
  state,
  savedAt,
}: {
  readonly state: SaveState
  /** Last save of the draft before this page opened; null for none. Epoch ms. */
  readonly savedAt: number | null
}) {
  const zone = useZone()
  return (
    <span role="status" aria-live="polite">
      {sentence(state, savedAt, zone)}
    </span>
  )
}

const LOST_WHEN_CLOSED =
  'only on this page: browser storage is full, so copy the JSON before you close it'

function sentence(state: SaveState, savedAt: number | null, zone: string): string {
  switch (state.kind) {
    case 'clean': {
      const at = state.savedAt ?? savedAt
      return at === null ? 'no changes' : `saved ${clockText(at, zone).slice(0, 8)}`
    }
    case 'unsaved':
      return 'not saved yet'
    case 'saving':
      return 'saving'
    case 'offline':
      return state.kept ? 'offline, kept in this browser' : `offline, ${LOST_WHEN_CLOSED}`
    case 'refused':
      return `not saved, ${state.kept ? 'kept in this browser' : LOST_WHEN_CLOSED}: ${state.message}`
    case 'conflict':
      return 'not saved: another user changed the draft'
    default:
      return state satisfies never
  }
}
