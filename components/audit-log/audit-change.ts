import type { JsonValue } from '@signalbox/core'

/** The latest instant that a Date can represent. */
const LATEST = 8_640_000_000_000_000

function toFieldMap(value: JsonValue): ReadonlyMap<string, JsonValue> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return new Map()
  return new Map(Object.entries(value))
}

/** A dash for a missing value; an instant (`expires_at`) in UTC. */
export function valueText(name: string, value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '–'
  if (name.endsWith('_at') && typeof value === 'number' && Math.abs(value) <= LATEST)
    return new Date(value).toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `before` and `after`: as stored. Empty: the entry has neither. */
export function changeText(before: JsonValue, after: JsonValue): string {
  const old = toFieldMap(before)
  const now = toFieldMap(after)
  const names = [...new Set([...old.keys(), ...now.keys()])]
  const told = names.flatMap((name) => {
    const [from, to] = [valueText(name, old.get(name)), valueText(name, now.get(name))]
    const label = name.replaceAll('_', ' ')
    if (!old.has(name)) return [`${label} ${to}`]
    return from === to ? [] : [`${label} ${from} → ${to}`]
  })
  return told.join(' · ')
}

export interface FieldChange {
  readonly name: string
  /** Undefined: this side does not have the field. */
  readonly before: JsonValue | undefined
  readonly after: JsonValue | undefined
  readonly isChanged: boolean
}

export function fieldChanges(before: JsonValue, after: JsonValue): readonly FieldChange[] {
  const old = toFieldMap(before)
  const now = toFieldMap(after)
  return [...new Set([...old.keys(), ...now.keys()])].map((name) => ({
    name,
    before: old.get(name),
    after: now.get(name),
    isChanged: valueText(name, old.get(name)) !== valueText(name, now.get(name)),
  }))
}
