'use client'
// One instant, typed on the wall clock of the zone that the whole console shows.
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
          className="w-48"
          value={at === null ? '' : localIn(at, zone)}
          onChange={({ currentTarget: { value } }) => {
            // A field that is filled in half says nothing yet.
            if (value === '' || instantIn(value, zone) !== null) onChange(instantIn(value, zone))
          }}
        />
      )}
    </Field>
  )
}
