'use client'
// Enter does nothing until the text matches.
import { useStore } from '@tanstack/react-form'
import { type ReactNode, useId } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Form, RefusedInput, Submit, useServerForm } from './form.tsx'

export interface TypedConfirmProps {
  readonly title: string
  readonly effect: string
  readonly word: string
  readonly action: string
  /** `typed` equals `word`. Rejects if the server refuses; the dialog then stays open with the reason. */
  readonly onConfirm: (typed: string) => Promise<unknown>
  readonly onClose: () => void
  /** No typed text allows the action; `children` give the reason. */
  readonly isBlocked?: boolean
  readonly children?: ReactNode
}

const BLANK = { typed: '' }

export function TypedConfirm({
  title,
  effect,
  word,
  action,
  onConfirm,
  onClose,
  isBlocked = false,
  children,
}: TypedConfirmProps) {
  const id = useId()
  const form = useServerForm({
    values: BLANK,
    toInput: ({ typed }) => (typed === word && !isBlocked ? typed : null),
    // The only field of this form shows any error of the server, whichever input it names.
    send: (typed: string) =>
      onConfirm(typed).catch((error: Error) => {
        throw new RefusedInput(error.message, 'typed')
      }),
  })
  const isTyped = useStore(form.store, ({ values }) => values.typed === word)
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title={title}
        description={effect}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit form={id} variant="danger" disabled={!isTyped || isBlocked}>
              {action}
            </Submit>
          </>
        }
      >
        <Form form={form} id={id}>
          {children}
          <form.AppField name="typed">
            {(field) => (
              <field.TextField label={`Type ${word} to confirm`} data-typed="" autoComplete="off" />
            )}
          </form.AppField>
        </Form>
      </Dialog>
    </form.AppForm>
  )
}
