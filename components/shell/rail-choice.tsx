'use client'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { Menu } from '@/components/ui/menu.tsx'

export function RailChoice({
  label,
  value,
  options,
  onChoose,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChoose: (value: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const chosen = options.find((option) => option.value === value)?.label ?? value
  return (
    <Menu
      label={`${label}: ${chosen}`}
      icon={
        <span aria-hidden className="max-w-7 overflow-hidden font-medium text-micro">
          {chosen.slice(0, 4)}
        </span>
      }
      items={options.map((option) => ({
        key: option.value,
        name: option.label,
        icon: (
          <Check
            size={14}
            className={option.value === value ? 'shrink-0' : 'invisible shrink-0'}
            aria-label={option.value === value ? 'chosen' : undefined}
          />
        ),
        onSelect: () => onChoose(option.value),
      }))}
      open={isOpen}
      onOpenChange={setOpen}
    />
  )
}
