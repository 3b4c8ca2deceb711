'use client'
import { LazyTextDiff } from '@/components/kit/diff/lazy-text-diff.tsx'
import { Button } from '@/components/ui/button.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
// Two people saved over one draft: both texts are shown, and a person decides. Nothing is discarded unseen.
import type { DraftView } from '@/server/configs/drafts.ts'

export function ConflictPanel({
  mine,
  theirs,
  onKeepMine,
  onTakeTheirs,
}: {
  readonly mine: string
  /** Null: the draft was discarded meanwhile. */
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
        description="Your text is shown here and kept in this browser."
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
      <LazyTextDiff before={theirs.text} after={mine} labels={[`Text of ${who}`, 'My text']} />
    </Dialog>
  )
}
