// Toggle group with at most one choice: pressing the chosen one again clears it.
import { clsx } from 'clsx'

export function ChoiceChips<Value extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  readonly label: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value | null
  readonly onChange: (value: Value | null) => void
}) {
  return (
    <fieldset className="flex min-w-0 max-w-full items-center gap-1 max-sm:overflow-x-auto sm:flex-wrap">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => {
        const isOn = choice.value === value
        return (
          <button
            key={choice.value}
            type="button"
            aria-pressed={isOn}
            onClick={() => onChange(isOn ? null : choice.value)}
            className={clsx(
              'h-(--control) whitespace-nowrap rounded-control border bg-surface px-2 hover:bg-row-hover pointer-coarse:h-11',
              isOn ? 'border-text font-medium text-text' : 'border-border text-text-2',
            )}
          >
            {choice.label}
          </button>
        )
      })}
    </fieldset>
  )
}
