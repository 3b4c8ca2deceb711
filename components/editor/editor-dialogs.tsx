'use client'
// What stands over the editor: a conflict that can only be told of whole texts, and review and publish.
import { useQueryClient } from '@tanstack/react-query'
import type { PublishTarget, Workbench } from '@/server/services/drafts.ts'
import { useTRPC, useTRPCClient } from '../trpc-provider.tsx'
import type { Analysis, LocatedProblem } from './analysis.ts'
import { ConflictPanel } from './conflict-panel.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import type { EditorDocument } from './use-document.ts'
import type { DraftSession } from './use-draft.ts'
import type { Merging } from './use-merging.ts'

export function EditorDialogs({
  workbench,
  session,
  analysis,
  doc,
  target,
  onTarget,
  onGo,
  merging,
}: {
  readonly merging: Merging
  readonly workbench: Workbench
  readonly session: DraftSession
  readonly analysis: Analysis
  readonly doc: EditorDocument
  readonly target: PublishTarget | undefined
  readonly onTarget: (name: string | null) => void
  readonly onGo: (problem: LocatedProblem) => void
}) {
  const updateDraft = useUpdateDraft(workbench, session)
  const { state, saver } = session
  if (state.kind === 'conflict' && merging.open && merging.merge === null) {
    const takeTheirs = () => {
      const theirs = saver.takeTheirs()
      if (theirs !== null) doc.replaceAll(theirs)
    }
    return (
      <ConflictPanel
        mine={doc.text}
        theirs={state.theirs}
        onKeepMine={saver.keepMine}
        onTakeTheirs={takeTheirs}
      />
    )
  }
  if (target === undefined) return null
  const showProblem = () => {
    onTarget(null)
    const problem = analysis.problems[0]
    if (problem !== undefined) onGo(problem)
  }
  return (
    <PublishDialog
      workbench={workbench}
      analysis={analysis}
      session={session}
      target={target}
      onTarget={onTarget}
      onUpdateDraft={updateDraft}
      onShowProblem={showProblem}
    />
  )
}

function useUpdateDraft(workbench: Workbench, session: DraftSession) {
  const client = useTRPCClient()
  const queries = useQueryClient()
  const trpc = useTRPC()
  return async (baseVersion: number): Promise<void> => {
    const seen = await session.saver.flush()
    if (seen === null) return
    const { ns, key } = workbench
    await client.drafts.rebase.mutate({ ns, key, ...seen, baseVersion })
    await queries.invalidateQueries({ queryKey: trpc.drafts.open.queryKey() })
  }
}
