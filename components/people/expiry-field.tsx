'use client'
// Field for the expiry of a key.
import { useField } from '@/components/kit/form/fields.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EXPIRY_CHOICES, type Expiry } from './key-expiry.ts'

export function ExpiryField() {
  const { value, change, error } = useField<Expiry>()
  return (
    <>
      <Field label="Expires" error={value.choice === 'date' ? undefined : error}>
        {({ id }) => (
          <Select
            id={id}
            label="Expires"
            value={value.choice}
            options={EXPIRY_CHOICES}
            onChange={(choice) => change({ ...value, choice })}
          />
        )}
      </Field>
      {value.choice === 'date' && (
        <Field label="Last day" hint="The key expires at 24:00 UTC on this day." error={error}>
          {(control) => (
            <Input
              {...control}
              type="date"
              value={value.date}
              onChange={(event) => change({ ...value, date: event.currentTarget.value })}
              required
            />
          )}
        </Field>
      )}
    </>
  )
}
