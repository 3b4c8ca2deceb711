'use client'
import { useMutation } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ListedSchedule } from '@/server/releases/schedule-list.sql.ts'
import { nameContent } from './release-text.ts'
import { usePlanSettled } from './use-plan-settled.ts'

export function CancelPlanDialog({
  row: { id, ns, key, environment, version, dueAt },
  onClose,
}: {
  readonly row: ListedSchedule
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const cancel = useMutation(
    trpc.schedules.cancel.mutationOptions({ onSuccess: onClose, onSettled: usePlanSettled() }),
  )
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Cancel this release?"
      description={`${ns}/${key} → ${environment}`}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            variant="danger"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate({ id })}
          >
            Cancel the release
          </Button>
        </>
      }
    >
      <p>
        {nameContent(version).long} will not be released to {environment} on{' '}
        <Timestamp at={dueAt} style="second" />. The audit log keeps who canceled it.
      </p>
      <ErrorLine>{cancel.error?.message}</ErrorLine>
    </Dialog>
  )
}
