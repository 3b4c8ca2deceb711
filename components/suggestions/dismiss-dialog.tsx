'use client'

import { useMutation } from '@tanstack/react-query'
import {
  FormProblem,
  RefusedInput,
  Submit,
  submitForm,
  useServerForm,
} from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { FoundRule, LearnPlace } from '@/server/suggestions/learn-runs.sql.ts'
import { useSuggestionOptions } from './use-suggestions.ts'

const BLANK = { reason: '' }

export function DismissDialog({
  place,
  rule: { id, sentence },
  onClose,
}: {
  readonly place: LearnPlace
  readonly rule: FoundRule
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const { onSettled } = useSuggestionOptions()
  const dismiss = useMutation(
    trpc.suggestions.dismiss.mutationOptions({ onSuccess: onClose, onSettled }),
  )
  const form = useServerForm({
    values: BLANK,
    toInput: ({ reason }) => ({ ...place, id, reason }),
    send: async (input) => {
      if (input.reason.trim() === '') {
        throw new RefusedInput('Enter the reason. Other members see it.', 'reason')
      }
      await dismiss.mutateAsync(input)
    },
  })
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title="Dismiss the rule?"
        description={<Words text={`${sentence}.`} />}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit type="button" variant="primary" onClick={() => submitForm(form)}>
              Dismiss <Kbd>⌘Enter</Kbd>
            </Submit>
          </>
        }
      >
        <form.AppField name="reason">
          {(field) => (
            <field.TextareaField
              label="Reason"
              hint={`Later searches leave the rule out for ${place.ns}/${place.key}, in all environments. Every member sees the reason.`}
              rows={2}
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
