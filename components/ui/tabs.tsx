'use client'
// Tabs whose choice belongs to the caller (usually the URL).
import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { cn } from './class-names.ts'

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
  className,
}: {
  readonly label: string
  readonly value: Value
  readonly tabs: readonly Tab<Value>[]
  readonly onChange: (value: Value) => void
  readonly className?: string
}) {
  return (
    <Base.Root
      value={value}
      onValueChange={onChange}
      className={cn('flex min-h-0 flex-col', className)}
    >
      <Base.List aria-label={label} className="flex shrink-0 gap-1 border-border border-b px-2">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px h-9 border-transparent border-b-2 px-2 text-text-2 hover:text-text data-active:border-text data-active:font-medium data-active:text-text"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="min-h-0 flex-1">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
