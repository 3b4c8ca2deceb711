'use client'
import { Field, Input } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { useZone } from '@/components/ui/time.tsx'
import { instantIn } from '@/components/ui/zoned-time.ts'

export interface ReleaseTime {
  readonly isLater: boolean
  /** Value of the datetime-local field, in the console's zone: `2026-11-21T18:00`. */
  readonly local: string
}

export const NOW: ReleaseTime = { isLater: false, local: '' }

const CHOICES = [
  { value: 'now', label: 'Now' },
  { value: 'later', label: 'At a time' },
] as const

export function ReleaseTimeFields({
  time,
  onChange,
}: {
  readonly time: ReleaseTime
  readonly onChange: (time: ReleaseTime) => void
}) {
  const zone = useZone()
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field label="When">
        {({ id }) => (
          <Select
            id={id}
            label="When"
            value={time.isLater ? 'later' : 'now'}
            options={CHOICES}
            onChange={(value) => onChange({ ...time, isLater: value === 'later' })}
          />
        )}
      </Field>
      {time.isLater && (
        <Field label={`Date and time (${zone})`}>
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              className="w-56"
              value={time.local}
              onChange={({ currentTarget }) => onChange({ ...time, local: currentTarget.value })}
            />
          )}
        </Field>
      )}
    </div>
  )
}

/** Null: the release is immediate, or no time is chosen. `dueAt`: epoch ms. */
export function computeDue(
  { isLater, local }: ReleaseTime,
  zone: string,
): { readonly dueAt: number; readonly zone: string } | null {
  const dueAt = isLater ? instantIn(local, zone) : null
  return dueAt === null ? null : { dueAt, zone }
}
