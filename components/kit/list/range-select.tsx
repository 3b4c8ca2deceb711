'use client'

import { Select } from '@/components/ui/select.tsx'
import { ALL_TIME, RANGES } from './range.ts'

const CUSTOM = 'custom'
const KNOWN = RANGES.map(({ value, label }) => ({ value: String(value), label }))

export function RangeSelect({
  range,
  standard,
  hasAllTime = standard === undefined,
  isTimed = false,
  onChange,
}: {
  /** Range in the address; null: the standard one. A range between two fixed times comes from a link and is shown, but not offered. */
  readonly range: string | null
  /** Absent: all time. */
  readonly standard?: string | undefined
  /** Absent: only without a standard range. */
  readonly hasAllTime?: boolean
  /** The filter text limits the time instead. */
  readonly isTimed?: boolean
  readonly onChange: (range: string | null) => void
}) {
  const unset = standard ?? ALL_TIME
  const offered = hasAllTime ? [{ value: ALL_TIME, label: 'All time' }, ...KNOWN] : KNOWN
  const shown = isTimed ? CUSTOM : (range ?? unset)
  const isOffered = offered.some(({ value }) => value === shown)
  const custom = { value: CUSTOM, label: isTimed ? 'Set by the filter' : 'Custom range' }
  return (
    <Select
      label="Range"
      value={isOffered ? shown : CUSTOM}
      options={isOffered ? offered : [...offered, custom]}
      onChange={(next) => {
        if (next !== CUSTOM) onChange(next === unset && !isTimed ? null : next)
      }}
    />
  )
}
