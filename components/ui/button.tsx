// One primary button per view, the rest secondary or quiet.
import { cva, type VariantProps } from 'class-variance-authority'
import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { Link } from './link.tsx'

const looks = cva(
  'base:inline-flex base:h-(--control) base:min-w-7 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-control border base:px-2.5 font-medium text-body disabled:opacity-50 pointer-coarse:h-11',
  {
    variants: {
      variant: {
        primary: 'border-accent bg-accent text-on-accent hover:opacity-90',
        secondary: 'border-border bg-surface text-text hover:bg-row-hover',
        quiet:
          'border-transparent bg-transparent base:text-text-2 hover:bg-surface-3 hover:text-text',
        danger: 'border-deny-bd bg-surface text-deny-fg hover:bg-deny-bg',
      },
      icon: { true: 'base:w-7 px-0 pointer-coarse:w-11', false: '' },
    },
    defaultVariants: { variant: 'secondary', icon: false },
  },
)

type Looks = Omit<VariantProps<typeof looks>, 'icon'>

export function Button({ variant, className, ...props }: ComponentProps<'button'> & Looks) {
  return (
    <button
      type="button"
      // Marks the button that ⌘Enter presses in a dialog.
      data-main={variant === 'primary' ? '' : undefined}
      className={clsx(looks({ variant }), className)}
      {...props}
    />
  )
}

/** `label`: accessible name and tooltip, verb and object, as in "Copy event link". */
export function IconButton({
  label,
  variant = 'quiet',
  className,
  ...props
}: ComponentProps<'button'> & Looks & { readonly label: string }) {
  const classes = clsx(looks({ variant, icon: true }), className)
  return <button type="button" aria-label={label} title={label} className={classes} {...props} />
}

export function LinkButton({ variant, className, ...props }: ComponentProps<typeof Link> & Looks) {
  return <Link className={clsx(looks({ variant }), className)} {...props} />
}
