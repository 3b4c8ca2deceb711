'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormProblem, Submit, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { GiveOrderInput } from '@/server/session-orders/session-order-input.ts'
import type { OrderAction } from './control-words.ts'

const WORDS = {
  pause: {
    verb: 'Pause session',
    effect:
      'Every call is denied until someone resumes the session. An incomplete stop stays blocked.',
  },
  resume: { verb: 'Resume session', effect: 'Calls are decided by the rules again.' },
  end: {
    verb: 'End session',
    effect:
      'Every call is denied, and the next stop is allowed without checks. This cannot be undone.',
  },
} as const satisfies { readonly [Action in OrderAction]: object }

const BLANK = { reason: '' }

export function OrderDialog({
  sessionId,
  action,
  isReachable,
  onClose,
}: {
  readonly sessionId: string
  readonly action: OrderAction
  readonly isReachable: boolean
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const give = useMutation(
    trpc.sessionOrders.give.mutationOptions({
      onSuccess: onClose,
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.sessionOrders.pathKey() }),
    }),
  )
  const form = useServerForm({
    values: BLANK,
    schema: GiveOrderInput,
    toInput: ({ reason }) => ({ sessionId, action, reason }),
    send: give.mutateAsync,
  })
  const { verb, effect } = WORDS[action]
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title={`${verb}?`}
        description={
          isReachable
            ? effect
            : `${effect} The runtime is not reporting. It receives the order when it reports again.`
        }
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit
              type="button"
              variant={action === 'resume' ? 'primary' : 'danger'}
              // ⌘Enter presses this button even when it ends the session.
              data-main=""
              onClick={() => submitForm(form)}
            >
              {verb} <Kbd>⌘Enter</Kbd>
            </Submit>
          </>
        }
      >
        <form.AppField name="reason">
          {(field) => (
            <field.TextField
              label="Reason"
              hint="The agent reads it with your name. It is recorded in the session and in the audit log."
              maxLength={500}
              // The user opened the dialog in order to write.
              autoFocus
              required
            />
          )}
        </form.AppField>
        <FormProblem />
      </Dialog>
    </form.AppForm>
  )
}
