// What an audit entry changed, in one line: `role viewer → admin`. Fields that stayed equal are left out.
import type { JsonValue } from '@signalbox/core'

function fieldsOf(value: JsonValue): ReadonlyMap<string, JsonValue> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return new Map()
  return new Map(Object.entries(value))
}

function valueText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `before` and `after` as they are stored; the empty text when the entry holds neither. */
export function changeText(before: JsonValue, after: JsonValue): string {
  const old = fieldsOf(before)
  const now = fieldsOf(after)
  const names = [...new Set([...old.keys(), ...now.keys()])]
  const told = names.flatMap((name) => {
    const [from, to] = [valueText(old.get(name)), valueText(now.get(name))]
    const label = name.replaceAll('_', ' ')
    if (!old.has(name)) return [`${label} ${to}`]
    return from === to ? [] : [`${label} ${from} → ${to}`]
  })
  return told.join(' · ')
}
