// The button of a select: what is chosen, and of what.
import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from './class-names.ts'

export interface SelectOption<Value extends string> {
  readonly value: Value
  readonly label: string
}

export interface SelectProps<Value extends string> {
  /** Accessible name. */
  readonly label: string
  readonly value: Value
  readonly options: readonly SelectOption<Value>[]
  readonly onChange: (value: Value) => void
  readonly className?: string | undefined
  readonly id?: string | undefined
  readonly disabled?: boolean | undefined
}

export function textOf<Value extends string>({ value, options }: SelectProps<Value>): string {
  return options.find((option) => option.value === value)?.label ?? value
}

export function SelectButton({
  text,
  className,
  ...props
}: ComponentProps<'button'> & { readonly text: string }) {
  return (
    <button
      type="button"
      className={cn(
        'inline-flex h-(--control) items-center justify-between gap-2 rounded-control border border-border-strong bg-surface px-2 text-body hover:bg-row-hover disabled:opacity-50 pointer-coarse:h-11',
        className,
      )}
      {...props}
    >
      <span className="truncate">{text}</span>
      <ChevronDown size={14} className="shrink-0 text-text-3" aria-hidden />
    </button>
  )
}
