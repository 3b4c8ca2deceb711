// Where an annotation is written, or its author changes it.
'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Textarea } from '@/components/ui/input.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'

export type AnnotationDraft =
  /** `seq` null: on the session. */
  | { readonly kind: 'new'; readonly sessionId: string; readonly seq: number | null }
  | {
      readonly kind: 'change'
      readonly id: string
      readonly seq: number | null
      readonly text: string
    }

const MOST = 4_000

export function AnnotationDialog({
  draft,
  onClose,
}: {
  readonly draft: AnnotationDraft
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const [text, setText] = useState(draft.kind === 'new' ? '' : draft.text)
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (draft.kind === 'new') {
        const { sessionId, seq } = draft
        await client.annotations.write.mutate({ sessionId, seq, text })
      } else await client.annotations.edit.mutate({ id: draft.id, text })
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.annotations.pathKey() }),
  })
  const isEmpty = text.trim() === ''
  const place = draft.seq === null ? 'the session' : `event #${draft.seq}`
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={draft.kind === 'new' ? `Annotate ${place}` : `Edit the annotation on ${place}`}
      description="Visible to every member of the project, next to the log. The log itself does not change."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={isPending || isEmpty} onClick={() => mutate()}>
            {draft.kind === 'new' ? 'Save annotation' : 'Save change'} <Kbd>⌘Enter</Kbd>
          </Button>
        </>
      }
    >
      <Field label="Annotation" hint="Plain text." error={error?.message}>
        {(control) => (
          <Textarea
            {...control}
            // The dialog was asked for to write.
            autoFocus
            rows={5}
            maxLength={MOST}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
    </Dialog>
  )
}
