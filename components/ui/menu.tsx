'use client'
// What can be done with one thing: a button that opens a list of links and actions. What may not be done stands there, too, and says why.
import { Menu as Base } from '@base-ui/react/menu'
import { Ellipsis } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'

export interface MenuItem {
  readonly name: string
  readonly icon?: ReactNode
  /** Where it leads, or what it does; exactly one of both. */
  readonly href?: string
  readonly onSelect?: () => void
  /** Why it cannot be done now; absent: it can. */
  readonly refusal?: string | undefined
}

const LOOK =
  'flex min-h-7 cursor-default items-center gap-2 rounded-control px-2 py-0.5 outline-none data-highlighted:bg-row-hover pointer-coarse:min-h-11'

export function Menu({
  label,
  items,
  open,
  onOpenChange,
  tabIndex,
}: {
  /** Accessible name of the button. */
  readonly label: string
  readonly items: readonly MenuItem[]
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly tabIndex?: number
}) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger
        render={
          <IconButton label={label} tabIndex={tabIndex}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-30">
          <Base.Popup className="max-w-80 rounded-card border border-border bg-surface p-1 shadow-lg outline-none">
            {items.map((item) => (
              <Item key={item.name} item={item} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Item({ item: { name, icon, href, onSelect, refusal } }: { readonly item: MenuItem }) {
  if (refusal !== undefined) {
    return (
      <Base.Item disabled className={LOOK}>
        {icon}
        <span className="flex min-w-0 flex-col">
          <span className="opacity-60">{name}</span>
          <span className="text-small text-text-2">{refusal}</span>
        </span>
      </Base.Item>
    )
  }
  if (href !== undefined) {
    return (
      <Base.LinkItem className={LOOK} render={<Link href={href} />}>
        {icon}
        {name}
      </Base.LinkItem>
    )
  }
  return (
    <Base.Item className={LOOK} onClick={onSelect}>
      {icon}
      {name}
    </Base.Item>
  )
}
