import { isJsonObject, type JsonValue, pointerTo } from '@signalbox/core'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { toPointer, valueAt } from '@/components/kit/diff/json-values.ts'
import { PLACE_STEP } from './merge-texts.ts'
import { findPart } from './outline.tsx'

export interface MergedNews {
  readonly who: string
  /** Places as named by `mergeTexts`, at least one. */
  readonly places: readonly string[]
}

export function mergedSentence({ who, places }: MergedNews): string {
  const parts = [...new Set(places.map(partName))]
  const named = new Intl.ListFormat('en-GB').format(parts)
  return places.length === 1
    ? `${who}’s change to ${named} was merged`
    : `${who}’s changes to ${named} were merged`
}

function partName(place: string): string {
  const [field = place] = place.split(PLACE_STEP)
  return findPart(pointerTo('', field))?.title ?? field
}

/** JSON pointer of the place in the current text, else of its closest remaining ancestor. */
export function findPlacePointer(text: string, place: string): string {
  const value = readJson(text)
  const path: (string | number)[] = []
  for (const name of place.split(PLACE_STEP)) {
    const step = stepTo(value, path, name)
    if (step === null) break
    path.push(step)
  }
  return toPointer(path)
}

/** Rules are named by id, everything else by field. */
function stepTo(value: JsonValue, path: JsonPath, name: string): string | number | null {
  const node = valueAt(value, path)
  if (Array.isArray(node)) {
    const items: readonly JsonValue[] = node
    const at = items.findIndex((item) => isJsonObject(item) && item['id'] === name)
    return at === -1 ? null : at
  }
  return valueAt(value, [...path, name]) === undefined ? null : name
}

function readJson(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch {
    // The text became invalid after the merge; the pointer then leads to its beginning.
    return null
  }
}
