'use client'

import { type KeyboardEvent, useState } from 'react'
import { lazyPopup, PopupFailure, useLazyPopup } from './lazy-popup.tsx'
import { SelectButton, type SelectProps, selectedLabel } from './select-button.tsx'

const LIST = lazyPopup(() => import('./select-list.tsx').then((module) => module.SelectList))

/** Space and Enter are not among them: they click the button. */
function opens({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (key === 'ArrowDown' || key === 'ArrowUp') return true
  return /^[\p{L}\p{N}]$/u.test(key) && !ctrlKey && !metaKey && !altKey
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const [isOpen, setOpen] = useState(false)
  const { Part, hasFailed } = useLazyPopup(LIST, isOpen)
  if (Part !== null) return <Part {...props} onChange={(next) => choose(props, next)} />
  return (
    <>
      <SelectButton
        text={selectedLabel(props)}
        icon={props.icon}
        className={props.className}
        role="combobox"
        aria-label={props.label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        id={props.id}
        disabled={props.disabled}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => {
          if (!opens(event)) return
          event.preventDefault()
          setOpen(true)
        }}
      />
      {hasFailed && <PopupFailure onRetry={LIST.fetch} />}
    </>
  )
}

/** The popup handles values as plain strings. */
function choose<Value extends string>(
  { options, onChange }: SelectProps<Value>,
  next: string,
): void {
  const chosen = options.find((option) => option.value === next)
  if (chosen !== undefined) onChange(chosen.value)
}
