import { clsx } from 'clsx'
import { type ComponentProps, type ReactNode, useId } from 'react'

const BOX =
  'base:w-full rounded-control border border-border-strong bg-surface base:px-2 base:text-body text-text disabled:opacity-60 aria-invalid:border-deny-mark'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={clsx(BOX, 'h-(--control) pointer-coarse:h-11', className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={clsx(BOX, 'min-h-16 py-1', className)} {...props} />
}

export interface FieldControl {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** `children` receives the attributes that link the control to its label and messages. */
export function Field({
  id: given,
  label,
  hint,
  error,
  children,
}: {
  /** Absent: generated. */
  readonly id?: string | undefined
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: ReactNode
  readonly children: (control: FieldControl) => ReactNode
}) {
  const own = useId()
  const id = given ?? own
  const described =
    error !== undefined ? `${id}-error` : hint !== undefined ? `${id}-hint` : undefined
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium text-small text-text-2">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-deny-fg text-small">
          {error}
        </p>
      )}
      {error === undefined && hint !== undefined && (
        <p id={`${id}-hint`} className="text-small text-text-3">
          {hint}
        </p>
      )}
    </div>
  )
}
