'use client'
// Includes the button, because the focus returns to it.
import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import { Kbd } from './kbd.tsx'
import { Link } from './link.tsx'
import { MenuButton, type MenuItem, type MenuProps } from './menu-button.tsx'

const LOOK =
  'flex min-h-7 cursor-default items-center gap-2 rounded-control px-2 py-0.5 outline-none data-highlighted:bg-row-hover pointer-coarse:min-h-11'

export function MenuPopup(props: MenuProps) {
  const { label, text, icon, tabIndex, items, open, onOpenChange } = props
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger
        render={<MenuButton label={label} text={text} icon={icon} tabIndex={tabIndex} />}
      />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-30">
          <Base.Popup className="max-h-(--available-height) max-w-80 overflow-y-auto rounded-card border border-border bg-surface p-1 shadow-lg outline-none">
            {items.map((item) => (
              <Item key={item.key ?? item.name} item={item} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Item({ item }: { readonly item: MenuItem }) {
  return (
    <>
      {item.isApart === true ? <Base.Separator className="my-1 h-px bg-border" /> : null}
      <Choice item={item} />
    </>
  )
}

function Choice({ item }: { readonly item: MenuItem }) {
  const { name, note, icon, href, onSelect, shortcut, refusal, isFile, isChosen } = item
  if (isChosen !== undefined) {
    return (
      <Base.CheckboxItem
        checked={isChosen}
        onCheckedChange={onSelect}
        closeOnClick={false}
        className={LOOK}
      >
        <Check size={14} aria-hidden className={isChosen ? '' : 'invisible'} />
        {name}
      </Base.CheckboxItem>
    )
  }
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
      // The router must not prefetch a file.
      <Base.LinkItem
        closeOnClick
        className={LOOK}
        render={
          <Link href={href} {...(isFile === true ? { download: true, prefetch: false } : {})} />
        }
      >
        {icon}
        <span className="min-w-0 break-words">{name}</span>
        {note === undefined ? null : (
          <span className="ml-auto shrink-0 pl-3 text-small text-text-2">{note}</span>
        )}
      </Base.LinkItem>
    )
  }
  return (
    <Base.Item className={LOOK} onClick={onSelect}>
      {icon}
      {name}
      {shortcut === undefined ? null : (
        <span className="ml-auto pl-3">
          <Kbd>{shortcut}</Kbd>
        </span>
      )}
    </Base.Item>
  )
}
