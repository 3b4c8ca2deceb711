// A value of a link that is not among the choices is shown as it is.
import { Select } from '@/components/ui/select.tsx'
import type { SelectOption } from '@/components/ui/select-button.tsx'

const ALL = 'all'

export function ChoiceSelect<Value extends string>({
  label,
  all,
  choices,
  value,
  onChange,
  ...rest
}: {
  readonly label: string
  readonly all: string
  readonly choices: readonly SelectOption<Value>[]
  /** Null: the first option. */
  readonly value: Value | null
  readonly onChange: (value: Value | null) => void
  readonly id?: string | undefined
  readonly className?: string
}) {
  const isKnown = value === null || choices.some((choice) => choice.value === value)
  const known = isKnown ? choices : [...choices, { value, label: value }]
  return (
    <Select<Value | typeof ALL>
      {...rest}
      label={label}
      value={value ?? ALL}
      options={[{ value: ALL, label: all }, ...known]}
      onChange={(next) => onChange(next === ALL ? null : next)}
    />
  )
}
