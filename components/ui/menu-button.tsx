import { ChevronDown, Ellipsis } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'

export interface MenuButtonProps {
  readonly label: string
  /** Text of the button; absent: the icon. */
  readonly text?: string | undefined
  /** Absent: three dots. */
  readonly icon?: ReactNode
  readonly tabIndex?: number | undefined
}

export interface MenuItem {
  readonly name: string
  /** Distinguishes items with equal names; absent: the name. */
  readonly key?: string
  readonly note?: string
  readonly isApart?: boolean
  /** `href` leads to a file. */
  readonly isFile?: boolean
  readonly icon?: ReactNode
  /** State of an item in a multiple choice, which keeps the menu open. Absent: the item is no choice. */
  readonly isChosen?: boolean
  /** `href` or `onSelect`: an item has exactly one of them. */
  readonly href?: string
  readonly onSelect?: () => void
  readonly shortcut?: string
  /** Reason why the action is not possible now; absent: it is. */
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
