'use client'
import { Field, Input } from './input.tsx'
import { useZone } from './time.tsx'
import { instantIn, localIn } from './zoned-time.ts'

export function InstantField({
  label,
  at,
  onChange,
}: {
  readonly label: string
  /** Epoch ms; null: none. */
  readonly at: number | null
  readonly onChange: (at: number | null) => void
}) {
  const zone = useZone()
  return (
    <Field label={`${label} (${zone})`}>
      {(control) => (
        <Input
          {...control}
          type="datetime-local"
          className="w-56"
          value={at === null ? '' : localIn(at, zone)}
          onChange={({ currentTarget: { value } }) => {
            // A partly filled field reports no change.
            if (value === '' || instantIn(value, zone) !== null) onChange(instantIn(value, zone))
          }}
        />
      )}
    </Field>
  )
}
