import type { JsonObject } from './json.ts'
import { isSameJson } from './same-json.ts'

/** Names of the fields that differ, except those in `apart`; an absent field differs from every value. */
export function differingFields(
  before: object,
  after: object,
  apart: readonly string[],
): readonly string[] {
  // Documents are JSON; their types only lack an index signature.
  const [was, is] = [before as JsonObject, after as JsonObject]
  const names = new Set([...Object.keys(was), ...Object.keys(is)])
  return [...names].filter((name) => !apart.includes(name) && !isSameJson(was[name], is[name]))
}
