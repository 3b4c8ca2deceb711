'use client'
// Confirmation by typing a name: exact, and the button says what will happen.
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input } from '../ui/input.tsx'

export function TypedConfirm({
  open,
  onOpenChange,
  title,
  effect,
  word,
  action,
  onConfirm,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly effect: string
  readonly word: string
  readonly action: string
  readonly onConfirm: () => void
}) {
  const [typed, setTyped] = useState('')
  const close = (next: boolean) => {
    setTyped('')
    onOpenChange(next)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={title}
      description={effect}
      actions={
        <>
          <Button onClick={() => close(false)}>Cancel</Button>
          <Button
            variant="danger"
            disabled={typed !== word}
            onClick={() => {
              onConfirm()
              close(false)
            }}
          >
            {action}
          </Button>
        </>
      }
    >
      <Field label={`Type ${word} to confirm`}>
        {(control) => (
          <Input
            {...control}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
      </Field>
    </Dialog>
  )
}
