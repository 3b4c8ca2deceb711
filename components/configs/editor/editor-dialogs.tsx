'use client'
// Dialogs over the editor: a conflict that only whole texts can show, review and publish, and earlier texts.
import { lazyPopup, PopupFailure, useLazyPopup } from '@/components/ui/lazy-popup.tsx'
import type { PublishTarget, Workbench } from '@/server/configs/drafts.ts'
import type { Analysis, LocatedProblem } from './analysis.ts'
import { ConflictPanel } from './conflict-panel.tsx'
import type { HistoryProps } from './history-dialog.tsx'
import type { Behind } from './use-behind.ts'
import type { EditorDocument } from './use-document.ts'
import type { DraftSession } from './use-draft.ts'
import type { Merging } from './use-merging.ts'

const PUBLISH = lazyPopup(() =>
  import('./publish-dialog.tsx').then((module) => module.PublishDialog),
)

const HISTORY = lazyPopup(() =>
  import('./history-dialog.tsx').then((module) => module.HistoryDialog),
)

export function LateHistoryDialog(props: HistoryProps) {
  const { Part, hasFailed } = useLazyPopup(HISTORY, props.shown !== null)
  if (Part !== null) return <Part {...props} />
  return hasFailed ? <PopupFailure onRetry={HISTORY.fetch} /> : null
}

export function EditorDialogs({
  workbench,
  session,
  analysis,
  doc,
  target,
  onTarget,
  onGo,
  onBacktest,
  merging,
  behind,
}: {
  readonly behind: Behind | null
  readonly merging: Merging
  readonly workbench: Workbench
  readonly session: DraftSession
  readonly analysis: Analysis
  readonly doc: EditorDocument
  readonly target: PublishTarget | undefined
  readonly onTarget: (name: string | null) => void
  readonly onGo: (problem: LocatedProblem) => void
  readonly onBacktest: () => void
}) {
  const { state, saver } = session
  const { Part, hasFailed } = useLazyPopup(PUBLISH, target !== undefined)
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
  if (Part === null) return hasFailed ? <PopupFailure onRetry={PUBLISH.fetch} /> : null
  // Fields to choose of stand over the texts, not in the dialog.
  const updateDraft = async () => {
    onTarget(null)
    await behind?.update(new Map())
  }
  const showProblem = () => {
    onTarget(null)
    const problem = analysis.problems[0]
    if (problem !== undefined) onGo(problem)
  }
  const openBacktest = () => {
    onTarget(null)
    onBacktest()
  }
  return (
    <Part
      workbench={workbench}
      analysis={analysis}
      session={session}
      target={target}
      onTarget={onTarget}
      onUpdateDraft={updateDraft}
      onShowProblem={showProblem}
      onBacktest={openBacktest}
    />
  )
}
