'use client'
// Confirmation by typing a name: exact, and the button states the action. Enter does nothing until the text matches.
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field, Input } from './input.tsx'

export function TypedConfirm({
  open,
  onOpenChange,
  title,
  effect,
  word,
  action,
  onConfirm,
  isBlocked = false,
  error,
  children,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly effect: string
  readonly word: string
  readonly action: string
  /** The caller closes it when it worked, and keeps it open with `error` when not. */
  readonly onConfirm: () => void
  /** The action is not possible for any typed text; `children` give the reason. */
  readonly isBlocked?: boolean
  readonly error?: string | undefined
  /** The effect in numbers. */
  readonly children?: ReactNode
}) {
  const form = useId()
  const [typed, setTyped] = useState('')
  const isReady = typed === word && !isBlocked
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) onConfirm()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={effect}
      actions={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button type="submit" form={form} variant="danger" disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-3">
        {children}
        <Field label={`Type ${word} to confirm`} error={error}>
          {(control) => (
            <Input
              {...control}
              data-typed=""
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}
