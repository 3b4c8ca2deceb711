'use client'

import type { ReactNode } from 'react'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { clockText, dayText, useZone } from '@/components/ui/time.tsx'
import type { Workbench } from '@/server/configs/drafts.ts'
import { ConfigCrumbs } from '../config-crumbs.tsx'
import type { SaveState } from './draft-saver.ts'
import type { DraftSession } from './use-draft.ts'

function SaveStatus({
  state,
  savedAt,
}: {
  readonly state: SaveState
  /** Last save of the draft before the page opened, epoch ms; null: none. */
  readonly savedAt: number | null
}) {
  const zone = useZone()
  return (
    <span role="status" aria-live="polite">
      {sentence(state, savedAt, zone)}
    </span>
  )
}

/** With the date, unless it is today. */
function describeSavedAt(at: number, zone: string): string {
  const time = clockText(at, zone).slice(0, 8)
  const day = dayText(at, zone)
  return day === dayText(Date.now(), zone) ? time : `${day.slice(0, 10)} ${time}`
}

const LOST_WHEN_CLOSED =
  'only on this page: browser storage is full, so copy the JSON before you close it'

function sentence(state: SaveState, savedAt: number | null, zone: string): string {
  switch (state.kind) {
    case 'clean': {
      const at = state.savedAt ?? savedAt
      return at === null ? 'no changes' : `saved ${describeSavedAt(at, zone)}`
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

export function EditorHeader({
  workbench,
  session,
  present,
  children,
}: {
  /** One sentence per other user in the editor. */
  readonly present: readonly string[]
  readonly workbench: Workbench
  readonly session: DraftSession
  readonly children: ReactNode
}) {
  const { ns, key, draft } = workbench
  return (
    <PageHeader
      above={<ConfigCrumbs ns={ns} name={key} />}
      title={`Edit ${ns}/${key}`}
      facts={
        <>
          <DraftFacts workbench={workbench} />
          <span aria-hidden>·</span>
          <SaveStatus state={session.state} savedAt={draft?.updatedAt ?? null} />
          {present.length === 0 ? null : <span aria-hidden>·</span>}
          <span role="status">{present.length === 0 ? '' : `${present.join('. ')}.`}</span>
        </>
      }
      actions={children}
    />
  )
}

function DraftFacts({ workbench }: { readonly workbench: Workbench }) {
  const { draft, base, targets } = workbench
  const version = draft === null ? (base?.number ?? null) : draft.baseVersion
  const released = targets.flatMap(({ name, live: now }) =>
    now === null ? [] : [`v${now.number} in ${name}`],
  )
  return (
    <span>
      {version === null ? 'Draft of the first version' : `Draft of v${version}`}
      {' · '}
      {released.length === 0 ? 'not released' : `released: ${released.join(', ')}`}
    </span>
  )
}
