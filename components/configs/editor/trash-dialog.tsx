'use client'

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { Workbench } from '@/server/configs/drafts.ts'
import { toEditorText } from './use-draft.ts'

export function TrashDialog({
  workbench,
  isOpen,
  onOpen,
  onText,
}: {
  readonly workbench: Workbench
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly onText: (text: string) => void
}) {
  return (
    <Dialog
      open={isOpen}
      onOpenChange={onOpen}
      title="Discarded drafts"
      description="Discarded in the last 30 days. Restoring replaces the open text; undo reverts that."
    >
      {isOpen && (
        <TrashList
          workbench={workbench}
          onText={(text) => {
            onOpen(false)
            onText(toEditorText(text))
          }}
        />
      )}
    </Dialog>
  )
}

function TrashList({
  workbench: { ns, key },
  onText,
}: {
  readonly workbench: Workbench
  readonly onText: (text: string) => void
}) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.drafts.trash.queryOptions({ ns, key }))
  if (error !== null) {
    const retry = () => void refetch()
    return <ErrorState what="The discarded drafts could not be read." why={error} onRetry={retry} />
  }
  if (data === undefined) return <SkeletonRows />
  if (data.length === 0) {
    return <p className="text-text-2">No draft of this config was discarded in the last 30 days.</p>
  }
  return (
    <ul className="flex flex-col gap-2">
      {data.map(({ id, text, baseVersion, discardedAt, updatedByName }) => (
        <li key={id} className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 flex-1">
            {baseVersion === null ? 'Draft of the first version' : `Draft of v${baseVersion}`}
            {', '}
            {plural(text.length, 'character')}
            <span className="block text-small text-text-2">
              discarded <Timestamp at={discardedAt} style="second" />, last edited by{' '}
              {updatedByName ?? 'a former member'}
            </span>
          </span>
          <Button onClick={() => onText(text)}>Restore</Button>
        </li>
      ))}
    </ul>
  )
}
