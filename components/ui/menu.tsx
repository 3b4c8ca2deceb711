'use client'
// A forbidden action stays in the list with its reason.
import { lazyPopup, PopupFailure, useLazyPopup } from './lazy-popup.tsx'
import { MenuButton, type MenuProps } from './menu-button.tsx'

const POPUP = lazyPopup(() => import('./menu-popup.tsx').then((module) => module.MenuPopup))

export function Menu(props: MenuProps) {
  const { label, text, icon, tabIndex, open, onOpenChange } = props
  const { Part, hasFailed } = useLazyPopup(POPUP, open)
  if (Part !== null) return <Part {...props} />
  return (
    <>
      <MenuButton
        label={label}
        text={text}
        icon={icon}
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => onOpenChange(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          onOpenChange(true)
        }}
      />
      {hasFailed && <PopupFailure onRetry={POPUP.fetch} />}
    </>
  )
}
