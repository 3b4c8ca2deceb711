import type { JsonValue } from '@signalbox/core'
import { ALERT_SIGNAL_NAMES, alertSignal, minutesText } from '@/server/alerts/signals.kinds.ts'

/** The latest instant that a Date can represent. */
const LATEST = 8_640_000_000_000_000

/** Fields whose stored names do not say what a reader sees. */
const LABELS: Readonly<Record<string, string>> = {
  share_per_mille: 'share',
  beside: 'beside version',
  windowMinutes: 'window',
  seq: 'event',
}
/** Fields whose values are names of our own kinds. */
const KINDS = new Set(['metric', 'kind', 'mode', 'reason', 'state'])
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*Z$/
const DIGEST = /\b([0-9a-f]{4})[0-9a-f]{56}([0-9a-f]{4})\b/g

function toFieldMap(value: JsonValue): ReadonlyMap<string, JsonValue> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return new Map()
  return new Map(Object.entries(value))
}

export function fieldLabel(name: string): string {
  return (
    LABELS[name] ??
    name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  )
}

const isUnset = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

function formatInstant(at: number | string): string {
  const text = new Date(at).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`
}

function formatNumber(name: string, value: number): string {
  if (name === 'windowMinutes') return minutesText(value)
  if (name.endsWith('_per_mille')) return `${value / 10}%`
  const isInstant = /(_at|At)$/.test(name) && Math.abs(value) <= LATEST
  return isInstant ? formatInstant(value) : String(value)
}

function formatText(name: string, value: string): string {
  if (INSTANT.test(value)) return formatInstant(value)
  if (name === 'signal') {
    const signal = ALERT_SIGNAL_NAMES.find((one) => one === value)
    return signal === undefined ? value : alertSignal(signal).label
  }
  return KINDS.has(name) ? value.replaceAll('_', ' ') : value
}

/** A dash for a missing value; a time in UTC; a share in percent; lists and objects as words. */
export function valueText(name: string, value: JsonValue | undefined): string {
  if (value === undefined || isUnset(value) || value === null) return '–'
  if (typeof value === 'number') return formatNumber(name, value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return formatText(name, value)
  if (Array.isArray(value)) return value.map((one) => valueText(name, one)).join(', ')
  return Object.entries(value)
    .filter(([, one]) => !isUnset(one))
    .map(([field, one]) => `${fieldLabel(field)} ${valueText(field, one)}`)
    .join(', ')
}

export interface FieldChange {
  readonly name: string
  /** Undefined: this side does not have the field. */
  readonly before: JsonValue | undefined
  readonly after: JsonValue | undefined
  readonly isChanged: boolean
}

/** `before` and `after`: as stored. Without fields that are unset on both sides. */
export function fieldChanges(before: JsonValue, after: JsonValue): readonly FieldChange[] {
  const old = toFieldMap(before)
  const now = toFieldMap(after)
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name) => ({
      name,
      before: old.get(name),
      after: now.get(name),
      isChanged: valueText(name, old.get(name)) !== valueText(name, now.get(name)),
    }))
    .filter((change) => !isUnset(change.before) || !isUnset(change.after))
}

/** Value of a field on which both sides agree, or that one side lacks. Null: it changed, or is no text. */
function findAgreed(changes: readonly FieldChange[], field: string): string | null {
  const { before, after } = changes.find(({ name }) => name === field) ?? {}
  const [one, other = one] = [before, after].filter((value) => value !== undefined)
  return typeof one === 'string' && one === other ? one : null
}

/** Begins with the config that was changed. Empty: no field changed. Digests are shortened. */
export function changeText(before: JsonValue, after: JsonValue): string {
  const changes = fieldChanges(before, after)
  const config = findAgreed(changes, 'config')
  const environment = config === null ? null : findAgreed(changes, 'environment')
  const isInPlace = (name: string): boolean =>
    (name === 'config' && config !== null) || (name === 'environment' && environment !== null)
  const fields = changes
    .filter(({ name, isChanged }) => isChanged && !isInPlace(name))
    .map(({ name, before: from, after: to }) => {
      const arrow = from === undefined ? '' : `${valueText(name, from)} → `
      return `${fieldLabel(name)}: ${arrow}${valueText(name, to)}`
    })
  const place = [config, environment].filter((one) => one !== null).join(' in ')
  return [...(place === '' ? [] : [place]), ...fields].join(' · ').replace(DIGEST, '$1…$2')
}
