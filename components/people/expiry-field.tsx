'use client'

import { useField } from '@/components/kit/form/fields.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EXPIRY_CHOICES, type Expiry } from './key-expiry.ts'

export function ExpiryField() {
  const { id, value, change, error } = useField<Expiry>()
  const isDate = value.choice === 'date'
  return (
    <>
      <Field id={isDate ? undefined : id} label="Expires" error={isDate ? undefined : error}>
        {(control) => (
          <Select
            id={control.id}
            label="Expires"
            value={value.choice}
            options={EXPIRY_CHOICES}
            onChange={(choice) => change({ ...value, choice })}
          />
        )}
      </Field>
      {isDate && (
        <Field
          id={id}
          label="Last day"
          hint="The key expires at 24:00 UTC on this day."
          error={error}
        >
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
