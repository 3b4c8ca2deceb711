'use client'
// Confirmation by typing a name: exact, and the button states the action. Enter does nothing until the text matches.
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
  /** `typed` equals `word`. Rejects where it is refused; the dialog stays open and shows why. */
  readonly onConfirm: (typed: string) => Promise<unknown>
  readonly onClose: () => void
  /** The action is not possible for any typed text; `children` give the reason. */
  readonly isBlocked?: boolean
  /** The effect in numbers. */
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
    // Whatever the server calls it, the one field of this form shows it.
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
