// Time range of a list that shows everything by default.
'use client'

import { Select } from '@/components/ui/select.tsx'
import { RANGES } from './range.ts'

const ALL_TIME = 'all'
const CUSTOM = 'custom'
const KNOWN = RANGES.map(({ value, label }) => ({ value: String(value), label }))

export function RangeSelect({
  range,
  onChange,
}: {
  /** Range in the address; null: all time. A range between two fixed times comes from a link and is shown, but not offered. */
  readonly range: string | null
  readonly onChange: (range: string | null) => void
}) {
  const isKnown = range === null || KNOWN.some(({ value }) => value === range)
  return (
    <Select
      label="Range"
      value={isKnown ? (range ?? ALL_TIME) : CUSTOM}
      options={[
        { value: ALL_TIME, label: 'All time' },
        ...KNOWN,
        ...(isKnown ? [] : [{ value: CUSTOM, label: 'custom range' }]),
      ]}
      onChange={(next) => {
        if (next !== CUSTOM) onChange(next === ALL_TIME ? null : next)
      }}
    />
  )
}
