'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormProblem, Submit, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Countdown } from '@/components/ui/time.tsx'
import { DecideCallInput } from '@/server/call-approvals/call-approval-input.ts'
import type { ShownCall } from '@/server/call-approvals/call-approvals.ts'
import { ArgsView } from './args-view.tsx'
import type { Decision } from './waiting-card.tsx'

const BLANK = { note: '' }

export function DecideDialog({
  call,
  decision,
  onClose,
}: {
  readonly call: ShownCall
  readonly decision: Decision
  readonly onClose: () => void
}) {
  const decide = useDecide(onClose)
  const form = useServerForm({
    values: BLANK,
    schema: DecideCallInput,
    toInput: ({ note }) => ({ id: call.id, input: call.input ?? '', decision, note }),
    send: decide.mutateAsync,
  })
  const verb = decision === 'approved' ? 'Approve' : 'Deny'
  return (
    <form.AppForm>
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
            <Submit
              type="button"
              variant={decision === 'approved' ? 'primary' : 'danger'}
              // ⌘Enter presses this button even when it denies.
              data-main=""
              onClick={() => submitForm(form)}
            >
              {verb} {call.tool} <Kbd>⌘Enter</Kbd>
            </Submit>
          </>
        }
      >
        <div className="flex flex-col gap-3">
          <ArgsView args={call.args} />
          <p className="text-text-2">
            {decision === 'approved'
              ? 'Only this call runs, once. The next call requires approval again.'
              : 'The call does not run. The agent continues and reads your note.'}
          </p>
          <form.AppField name="note">
            {(field) => (
              <field.TextareaField
                label="Note"
                hint={
                  decision === 'approved'
                    ? 'Recorded in the session and in the audit log.'
                    : 'The agent reads it. It is recorded in the session and in the audit log.'
                }
                rows={2}
                maxLength={2_000}
              />
            )}
          </form.AppField>
          <FormProblem />
        </div>
      </Dialog>
    </form.AppForm>
  )
}

function useDecide(onClose: () => void) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return useMutation(
    trpc.callApprovals.decide.mutationOptions({
      onSuccess: onClose,
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.callApprovals.pathKey() }),
    }),
  )
}
