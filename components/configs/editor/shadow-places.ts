// Finds what a draft only records: rules in shadow mode, and checks under a limit of 0 blocked stops, because checks have no shadow mode.
import type { JsonObject } from '@signalbox/core'
import { countText, plural } from '@signalbox/core/analysis'
import { DEFAULT_MAX_STOP_BLOCKS } from '@signalbox/core/lint'
import {
  applyEdit,
  type JsonPath,
  removeValue,
  type TextEdit,
} from '@/components/kit/diff/json-edit.ts'
import { listAt, objectAt, stringAt, valueAt } from '@/components/kit/diff/json-values.ts'

interface ShadowPlaces {
  /** Rules that deny or change a call. */
  readonly rules: readonly JsonPath[]
  readonly providers: readonly JsonPath[]
  readonly isStopCheckOff: boolean
}

const STOP_LIMIT = ['limits', 'max_stop_blocks']

function listItems(value: JsonObject, list: JsonPath): readonly JsonPath[] {
  return listAt(value, list).map((_, index) => [...list, index])
}

function listRules(value: JsonObject, base: JsonPath = []): readonly JsonPath[] {
  return [
    ...listItems(value, [...base, 'policies']),
    ...listItems(value, [...base, 'content']),
    ...listItems(value, [...base, 'sections']).flatMap((section) => listRules(value, section)),
  ]
}

const listProviders = (value: JsonObject) => listItems(value, ['feedback_providers'])

const hasStopCheck = (value: JsonObject): boolean =>
  valueAt(value, ['task_completion_checker']) !== undefined

export function findShadowPlaces(value: JsonObject): ShadowPlaces {
  const isShadow = (path: JsonPath) => stringAt(value, [...path, 'mode']) === 'shadow'
  return {
    rules: listRules(value).filter(isShadow),
    providers: listProviders(value).filter(isShadow),
    isStopCheckOff: hasStopCheck(value) && valueAt(value, STOP_LIMIT) === 0,
  }
}

export function hasShadow({ rules, providers, isStopCheckOff }: ShadowPlaces): boolean {
  return isStopCheckOff || rules.length + providers.length > 0
}

/** One edit, so that one undo reverts it. Null: the text is not JSON. */
export function enforceAll(text: string, value: JsonObject): TextEdit | null {
  const { rules, providers, isStopCheckOff } = findShadowPlaces(value)
  const limit = Object.keys(objectAt(value, ['limits'])).length === 1 ? ['limits'] : STOP_LIMIT
  const places = [
    ...[...rules, ...providers].map((path) => [...path, 'mode']),
    ...(isStopCheckOff ? [limit] : []),
  ]
  let enforced = text
  for (const place of places) {
    const edit = removeValue(enforced, place)
    if (edit === null) return null
    enforced = applyEdit(enforced, edit)
  }
  return { from: 0, to: text.length, insert: enforced }
}

/** Effects on the agent when everything is enforced. */
export function describeEnforcing(
  { rules, providers, isStopCheckOff }: ShadowPlaces,
  stopBlocks = DEFAULT_MAX_STOP_BLOCKS,
): string {
  const content = rules.filter((path) => path.at(-2) === 'content').length
  const groups = [
    [rules.length - content, 'denies calls', 'deny calls'],
    [content, 'masks or denies content', 'mask or deny content'],
    [providers.length, 'gives feedback', 'give feedback'],
  ] as const
  const parts = groups
    .filter(([count]) => count > 0)
    .map(([count, one, many], index) => {
      const subject = index === 0 ? plural(count, 'rule') : countText(count)
      return `${subject} ${count === 1 ? one : many}`
    })
  const stops = `incomplete stops are blocked, up to ${plural(stopBlocks, 'time')}`
  return [...parts, ...(isStopCheckOff ? [stops] : [])].join('; ')
}

/** Counts what `before` only recorded and `after` enforces. Empty: nothing, or `after` still only records something. */
export function describeEnforced(before: JsonObject, after: JsonObject): string {
  if (hasShadow(findShadowPlaces(after))) return ''
  const { rules, providers, isStopCheckOff } = findShadowPlaces(before)
  const ids = new Set([...rules, ...providers].map((path) => stringAt(before, [...path, 'id'])))
  const isEnforced = (path: JsonPath) =>
    ids.has(stringAt(after, [...path, 'id'])) && stringAt(after, [...path, 'mode']) !== 'off'
  const limit = valueAt(after, STOP_LIMIT)
  return describeEnforcing(
    {
      rules: listRules(after).filter(isEnforced),
      providers: listProviders(after).filter(isEnforced),
      isStopCheckOff: isStopCheckOff && hasStopCheck(after),
    },
    typeof limit === 'number' ? limit : undefined,
  )
}

export function nameEnforcing({ rules, providers, isStopCheckOff }: ShadowPlaces): string {
  const count = rules.length + providers.length
  if (count === 0) return 'Enforce the stop check'
  const all = `Enforce ${count === 1 ? 'the shadow rule' : `all ${count} shadow rules`}`
  return isStopCheckOff ? `${all} and the stop check` : all
}
