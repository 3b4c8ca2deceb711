'use client'
// One of a few values. Options carry their words; the value is what the program uses.
import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import { cn } from './class-names.ts'

export interface SelectOption<Value extends string> {
  readonly value: Value
  readonly label: string
}

export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
  className,
  id,
  disabled,
}: {
  /** Accessible name. */
  readonly label: string
  readonly value: Value
  readonly options: readonly SelectOption<Value>[]
  readonly onChange: (value: Value) => void
  readonly className?: string
  readonly id?: string
  readonly disabled?: boolean
}) {
  const current = options.find((option) => option.value === value)
  return (
    <Base.Root
      value={value}
      disabled={disabled ?? false}
      onValueChange={(next) => next !== null && onChange(next)}
    >
      <Base.Trigger
        aria-label={label}
        id={id}
        className={cn(
          'inline-flex h-(--control) items-center justify-between gap-2 rounded-control border border-border-strong bg-surface px-2 text-body hover:bg-row-hover disabled:opacity-50 pointer-coarse:h-11',
          className,
        )}
      >
        <span className="truncate">{current?.label ?? value}</span>
        <ChevronDown size={14} className="shrink-0 text-text-3" aria-hidden />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50" alignItemWithTrigger={false}>
          <Base.Popup className="min-w-(--anchor-width) rounded-card border border-border bg-surface p-1 shadow-lg">
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                className="flex h-7 cursor-default items-center justify-between gap-3 rounded-control px-2 outline-none data-highlighted:bg-row-hover pointer-coarse:h-11"
              >
                <Base.ItemText>{option.label}</Base.ItemText>
                <Base.ItemIndicator>
                  <Check size={14} aria-hidden />
                </Base.ItemIndicator>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
