'use client'
import { clsx } from 'clsx'
// A disallowed button stays visible and focusable and states the reason.
import { type ComponentProps, useId } from 'react'
import { Button } from './button.tsx'

export function ReasonedButton({
  isAllowed,
  reason,
  onClick,
  className,
  ...props
}: Omit<ComponentProps<typeof Button>, 'title' | 'aria-disabled' | 'aria-describedby'> & {
  readonly isAllowed: boolean
  /** Null: allowed, or not loaded. */
  readonly reason: string | null
}) {
  const id = useId()
  return (
    <>
      <Button
        {...props}
        // Not `disabled`: a disabled button takes no focus, so keyboard users could not read the reason.
        aria-disabled={isAllowed ? undefined : true}
        aria-describedby={reason === null ? undefined : id}
        title={reason ?? undefined}
        className={clsx(!isAllowed && 'cursor-not-allowed opacity-50', className)}
        onClick={(event) => {
          if (isAllowed) onClick?.(event)
        }}
      />
      {reason !== null && (
        <span id={id} className="sr-only">
          {reason}
        </span>
      )}
    </>
  )
}
