import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'

export interface SelectOption<Value extends string> {
  readonly value: Value
  readonly label: string
}

export interface SelectProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly SelectOption<Value>[]
  readonly icon?: ReactNode
  readonly onChange: (value: Value) => void
  readonly className?: string | undefined
  readonly id?: string | undefined
  readonly disabled?: boolean | undefined
}

export function selectedLabel<Value extends string>({
  value,
  options,
}: SelectProps<Value>): string {
  return options.find((option) => option.value === value)?.label ?? value
}

export function SelectButton({
  text,
  icon,
  className,
  ...props
}: ComponentProps<'button'> & { readonly text: string; readonly icon?: ReactNode }) {
  return (
    <button
      type="button"
      className={clsx(
        'inline-flex h-(--control) items-center justify-between gap-2 rounded-control border border-border-strong bg-surface px-2 text-body hover:bg-row-hover disabled:opacity-50 pointer-coarse:h-11',
        className,
      )}
      {...props}
    >
      <span className="flex min-w-0 items-center gap-1.5">
        {icon}
        <span className="truncate">{text}</span>
      </span>
      <ChevronDown size={14} className="shrink-0 text-text-3" aria-hidden />
    </button>
  )
}
