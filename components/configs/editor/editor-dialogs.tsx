'use client'

import { LazyTextDiff } from '@/components/kit/diff/lazy-text-diff.tsx'
import { Button } from '@/components/ui/button.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { lazyPopup, PopupFailure, useLazyPopup } from '@/components/ui/lazy-popup.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { DraftView, PublishTarget, Workbench } from '@/server/configs/drafts.ts'
import type { Analysis, LocatedProblem } from './document/analysis.ts'
import type { HistoryProps } from './history-dialog.tsx'
import type { Behind } from './use-behind.ts'
import type { EditorDocument } from './use-document.ts'
import type { DraftSession } from './use-draft.ts'
import type { Merging } from './use-merging.ts'

function ConflictPanel({
  mine,
  theirs,
  onKeepMine,
  onTakeTheirs,
}: {
  readonly mine: string
  /** Null: the other user discarded the draft. */
  readonly theirs: DraftView | null
  readonly onKeepMine: () => void
  readonly onTakeTheirs: () => void
}) {
  const who = theirs?.updatedByName ?? 'Another user'
  if (theirs === null) {
    return (
      <Dialog
        open
        onOpenChange={() => undefined}
        title="The draft was discarded while you edited it"
        description="Your text is shown below and saved in this browser."
        actions={
          <Button variant="primary" onClick={onKeepMine}>
            Save mine as a new draft
          </Button>
        }
      />
    )
  }
  return (
    <Dialog
      open
      wide
      onOpenChange={() => undefined}
      title={`${who} saved this draft while you edited it`}
      description="Both texts are shown. The one that you do not choose can still be copied, and yours stays in undo."
      actions={
        <>
          <Button onClick={onTakeTheirs}>Take {who}’s text</Button>
          <Button variant="primary" onClick={onKeepMine}>
            Keep mine
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap gap-x-4 text-small text-text-2">
        <span className="flex items-center gap-1">
          {who}, <Timestamp at={theirs.updatedAt} style="second" />
          <CopyButton text={theirs.text} label={`Copy ${who}’s text`} />
        </span>
        <span className="flex items-center gap-1">
          Mine <CopyButton text={mine} label="Copy my text" />
        </span>
      </div>
      <LazyTextDiff before={theirs.text} after={mine} labels={[`${who}’s text`, 'Your text']} />
    </Dialog>
  )
}

const PUBLISH = lazyPopup(() =>
  import('./publish-dialog.tsx').then((module) => module.PublishDialog),
)

const HISTORY = lazyPopup(() =>
  import('./history-dialog.tsx').then((module) => module.HistoryDialog),
)

export function LazyHistoryDialog(props: HistoryProps) {
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
  // Conflicts of an update are shown above the texts, so this dialog closes first.
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
