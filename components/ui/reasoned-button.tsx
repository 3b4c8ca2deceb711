'use client'
// A button that the user is not allowed to press: it is visible, reachable by keyboard, and states the reason.
import { type ComponentProps, useId } from 'react'
import { Button } from './button.tsx'
import { cn } from './class-names.ts'

export function ReasonedButton({
  isAllowed,
  reason,
  onClick,
  className,
  ...props
}: Omit<ComponentProps<typeof Button>, 'title' | 'aria-disabled' | 'aria-describedby'> & {
  readonly isAllowed: boolean
  /** Null while allowed, and while it is not known yet. */
  readonly reason: string | null
}) {
  const id = useId()
  return (
    <>
      <Button
        {...props}
        // Not `disabled`: a disabled button takes no focus, so its reason could not be read by keyboard.
        aria-disabled={isAllowed ? undefined : true}
        aria-describedby={reason === null ? undefined : id}
        title={reason ?? undefined}
        className={cn(!isAllowed && 'cursor-not-allowed opacity-50', className)}
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
