'use client'

import { useStore } from '@tanstack/react-form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormProblem, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { AnnotationTextInput } from '@/server/annotations/annotation-input.ts'

export type AnnotationDraft =
  /** `seq` null: annotates the session. */
  | { readonly kind: 'new'; readonly sessionId: string; readonly seq: number | null }
  | {
      readonly kind: 'change'
      readonly id: string
      readonly seq: number | null
      readonly text: string
    }

const BLANK = { text: '' }

export function AnnotationDialog({
  draft,
  onClose,
}: {
  readonly draft: AnnotationDraft
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const settled = {
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.annotations.pathKey() }),
  }
  const write = useMutation(trpc.annotations.write.mutationOptions(settled))
  const edit = useMutation(trpc.annotations.edit.mutationOptions(settled))
  const form = useServerForm({
    values: draft.kind === 'new' ? BLANK : { text: draft.text },
    schema: AnnotationTextInput,
    toInput: (values) => values,
    send: ({ text }) =>
      draft.kind === 'new'
        ? write.mutateAsync({ sessionId: draft.sessionId, seq: draft.seq, text })
        : edit.mutateAsync({ id: draft.id, text }),
  })
  const isEmpty = useStore(form.store, ({ values }) => values.text.trim() === '')
  const isPending = write.isPending || edit.isPending
  const place = draft.seq === null ? 'the session' : `event #${draft.seq}`
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title={draft.kind === 'new' ? `Annotate ${place}` : `Edit the annotation on ${place}`}
        description="Visible to every member of the project, next to the log. The log itself does not change."
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant="primary"
              disabled={isPending || isEmpty}
              onClick={() => submitForm(form)}
            >
              {draft.kind === 'new' ? 'Save annotation' : 'Save change'} <Kbd>⌘Enter</Kbd>
            </Button>
          </>
        }
      >
        <form.AppField name="text">
          {(field) => (
            <field.TextareaField
              label="Annotation"
              hint="Plain text."
              // The user opened the dialog in order to write.
              autoFocus
              rows={5}
              maxLength={4_000}
            />
          )}
        </form.AppField>
        <FormProblem />
      </Dialog>
    </form.AppForm>
  )
}
