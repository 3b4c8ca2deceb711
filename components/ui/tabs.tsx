'use client'
import { clsx } from 'clsx'
// The selection belongs to the caller, usually in the address.
import { type KeyboardEvent, type ReactNode, useId } from 'react'

export interface Tab<Value extends string> {
  readonly value: Value
  readonly label: ReactNode
  readonly content: ReactNode
}

export function Tabs<Value extends string>({
  label,
  value,
  tabs,
  onChange,
  after,
  className,
}: {
  readonly label: string
  readonly value: Value
  readonly tabs: readonly Tab<Value>[]
  readonly onChange: (value: Value) => void
  /** Beside the tabs, such as a menu with more of them. */
  readonly after?: ReactNode
  readonly className?: string
}) {
  const id = useId()
  const chosen = tabs.find((tab) => tab.value === value)
  return (
    <div className={clsx('flex min-h-0 flex-col', className)}>
      <div className="flex shrink-0 items-center gap-1 border-border border-b px-2">
        <div
          role="tablist"
          aria-label={label}
          onKeyDown={moveFocus}
          className="relative -mb-px flex min-w-0 gap-1 overflow-x-auto"
        >
          {tabs.map((tab) => (
            <button
              key={tab.value}
              type="button"
              role="tab"
              id={`${id}${tab.value}`}
              aria-selected={tab.value === value}
              aria-controls={tab.value === value ? `${id}panel` : undefined}
              tabIndex={tab.value === value ? 0 : -1}
              onClick={() => onChange(tab.value)}
              className="h-9 shrink-0 pointer-coarse:h-11 border-transparent border-b-2 px-2 text-text-2 hover:text-text aria-selected:border-text aria-selected:font-medium aria-selected:text-text"
            >
              {tab.label}
            </button>
          ))}
        </div>
        {after}
      </div>
      {chosen !== undefined && (
        <div
          key={value}
          role="tabpanel"
          id={`${id}panel`}
          aria-labelledby={`${id}${value}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a panel without controls.
          tabIndex={0}
          className="min-h-0 flex-1"
        >
          {chosen.content}
        </div>
      )}
    </div>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')]
  const now = all.findIndex((tab) => tab.matches(':focus'))
  const { length } = all
  const places: Readonly<Record<string, number>> = {
    ArrowRight: (now + 1) % length,
    ArrowLeft: (now - 1 + length) % length,
    Home: 0,
    End: length - 1,
  }
  const next = places[event.key]
  if (now === -1 || next === undefined) return
  event.preventDefault()
  all[next]?.focus()
}
