'use client'
// Header of the editor: the config, its base version, the save status, other editors, and actions on the whole draft.
import type { ReactNode } from 'react'
import { PageHeader } from '@/components/ui/page-header.tsx'
import type { Workbench } from '@/server/configs/drafts.ts'
import { ConfigCrumbs } from '../config-crumbs.tsx'
import { SaveStatus } from './save-status.tsx'
import type { DraftSession } from './use-draft.ts'

export function EditorHeader({
  workbench,
  session,
  present,
  children,
}: {
  /** One sentence for each other user in the editor. */
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
          <span role="status">
            {present.map((sentence) => (
              <span key={sentence}> · {sentence}</span>
            ))}
          </span>
        </>
      }
      actions={children}
    />
  )
}

function DraftFacts({ workbench }: { readonly workbench: Workbench }) {
  const { draft, base, targets } = workbench
  const version = draft === null ? (base?.number ?? null) : draft.baseVersion
  const live = targets.flatMap(({ name, live: now }) =>
    now === null ? [] : [`v${now.number} in ${name}`],
  )
  return (
    <span>
      {version === null ? 'Draft of the first version' : `Draft of v${version}`}
      {' · '}
      {live.length === 0 ? 'nothing live' : `live ${live.join(', ')}`}
    </span>
  )
}
