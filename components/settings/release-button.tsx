'use client'
// A button that changes what an environment runs. Who may not sees it, can reach it by keyboard, and is told why not.
import { type ComponentProps, useId } from 'react'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/class-names.ts'
import { useReleaseRight } from './release-right.ts'

export function ReleaseButton({
  environment,
  onClick,
  className,
  ...props
}: Omit<ComponentProps<typeof Button>, 'title' | 'aria-disabled' | 'aria-describedby'> & {
  readonly environment: string
}) {
  const { isAllowed, reason } = useReleaseRight(environment)
  const id = useId()
  return (
    <>
      <Button
        {...props}
        // Not `disabled`: a disabled button takes no focus, and its reason could not be read by keyboard.
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
