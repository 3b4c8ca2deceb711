'use client'
// Includes the button, because the focus returns to it.
import { Select as Base } from '@base-ui/react/select'
import { Check } from 'lucide-react'
import { SelectButton, type SelectProps, selectedLabel } from './select-button.tsx'

/** Mounts open: it replaces the button when the user presses it. */
export function SelectList(props: SelectProps<string>) {
  const { label, value, options, icon, onChange, className, id, disabled } = props
  return (
    <Base.Root
      defaultOpen
      value={value}
      disabled={disabled ?? false}
      onValueChange={(next) => next !== null && onChange(next)}
    >
      <Base.Trigger
        aria-label={label}
        id={id}
        render={<SelectButton text={selectedLabel(props)} icon={icon} className={className} />}
      />
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
