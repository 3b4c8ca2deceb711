// The decision: the call, a note, and the button.
'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Textarea } from '@/components/ui/input.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { Countdown } from '@/components/ui/time.tsx'
import type { ShownCall } from '@/server/call-approvals/call-approvals.ts'
import { ArgsView } from './args-view.tsx'
import type { Decision } from './waiting-card.tsx'

export function DecideDialog({
  call,
  decision,
  onClose,
}: {
  readonly call: ShownCall
  readonly decision: Decision
  readonly onClose: () => void
}) {
  const [note, setNote] = useState('')
  const decide = useDecide(call, onClose)
  const verb = decision === 'approved' ? 'Approve' : 'Deny'
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={`${verb} ${call.tool}?`}
      description={
        <>
          {call.ns}/{call.key} in {call.environment} · <Countdown until={call.waitsUntil} />
        </>
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant={decision === 'approved' ? 'primary' : 'danger'}
            // To deny is what this dialog is for, too.
            data-main=""
            disabled={decide.isPending}
            onClick={() => decide.mutate({ decision, note })}
          >
            {verb} {call.tool} <Kbd>⌘Enter</Kbd>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <ArgsView args={call.args} />
        <p className="text-text-2">
          {decision === 'approved'
            ? 'This one call runs, once. The next call asks again.'
            : 'The call does not run. The agent continues and reads your note.'}
        </p>
        <Field
          label="Note"
          hint={
            decision === 'approved'
              ? 'Recorded in the session and in the audit log.'
              : 'The agent reads it. It is recorded in the session and in the audit log.'
          }
        >
          {(control) => (
            <Textarea
              {...control}
              rows={2}
              maxLength={2_000}
              value={note}
              onChange={({ currentTarget }) => setNote(currentTarget.value)}
            />
          )}
        </Field>
        <ErrorLine>{decide.error?.message}</ErrorLine>
      </div>
    </Dialog>
  )
}

function useDecide({ id, input }: ShownCall, onClose: () => void) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({
      decision,
      note,
    }: {
      readonly decision: Decision
      readonly note: string
    }) => {
      await client.callApprovals.decide.mutate({ id, input: input ?? '', decision, note })
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.callApprovals.pathKey() }),
  })
}
