// The button of a menu, and what a menu holds.
import { ChevronDown, Ellipsis } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'

export interface MenuButtonProps {
  /** Accessible name of the button. */
  readonly label: string
  /** Label of the button; absent: the icon. */
  readonly text?: string | undefined
  /** Absent: three dots. */
  readonly icon?: ReactNode
  readonly tabIndex?: number | undefined
}

export interface MenuItem {
  readonly name: string
  /** Distinguishes items with the same name; absent: the name does. */
  readonly key?: string
  /** Beside the name, in a lighter voice. */
  readonly note?: string
  /** A line above it parts it from the items before. */
  readonly isApart?: boolean
  /** `href` is a file. */
  readonly isFile?: boolean
  readonly icon?: ReactNode
  /** State of an item in a multiple choice: the menu stays open. Absent: the item is not a choice. */
  readonly isChosen?: boolean
  /** Link target or handler; exactly one of the two. */
  readonly href?: string
  readonly onSelect?: () => void
  /** The key that does the same. */
  readonly shortcut?: string
  /** Why it cannot be done now; absent: it can. */
  readonly refusal?: string | undefined
}

export interface MenuProps extends MenuButtonProps {
  readonly items: readonly MenuItem[]
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function MenuButton({
  label,
  text,
  icon,
  ...props
}: MenuButtonProps & ComponentProps<'button'>) {
  if (text === undefined) {
    return (
      <IconButton label={label} data-row-actions {...props}>
        {icon ?? <Ellipsis size={16} aria-hidden />}
      </IconButton>
    )
  }
  return (
    <Button
      aria-label={text === label ? label : `${label}: ${text}`}
      className="no-print max-w-60"
      data-row-actions
      {...props}
    >
      <span className="truncate">{text}</span>
      <ChevronDown size={14} aria-hidden className="shrink-0" />
    </Button>
  )
}
