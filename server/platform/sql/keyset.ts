// Keyset cursors: the position of the last row of a page, so that the next page starts right after it, for any number of rows that arrived
// before it meanwhile.

import type { Type } from '../list/define-list.ts'
import { holdsUnstorable } from '../unstorable.ts'

export interface Place {
  /** Epoch ms of the sort column. */
  readonly at: number
  readonly id: string
}

export function formatCursor({ at, id }: Place): string {
  return `${at}~${id}`
}

/** Null for anything that `formatCursor` did not make. */
export function parseKeyset(cursor: string): Place | null {
  const match = /^(\d{1,15})~([A-Za-z0-9_]{1,80})$/.exec(cursor)
  return match === null ? null : { at: Number(match[1]), id: match[2] ?? '' }
}

/** `values`: those of the columns that the list goes by, and its id where they do not tell rows apart. For one number it is what `formatCursor` makes. */
export function formatRowPlace(values: readonly (string | number)[]): string {
  return values.map((value) => encodeURIComponent(value).replaceAll('~', '%7E')).join('~')
}

/** Null for anything that `formatRowPlace` did not make of as many columns. */
export function parseRowPlace(
  cursor: string,
  kinds: readonly Type<unknown>['kind'][],
): readonly string[] | null {
  const parts = cursor.split('~')
  if (parts.length !== kinds.length) return null
  try {
    const values = parts.map((part) => decodeURIComponent(part))
    const isSound = values.every((value, at) =>
      kinds[at] === 'text' ? !holdsUnstorable(value) : /^\d{1,15}$/.test(value),
    )
    return isSound ? values : null
  } catch {
    // Not encoded by encodeURIComponent.
    return null
  }
}

export interface PromptPlace {
  readonly ns: string
  readonly key: string
}

/** Lists in order of prompt. A key holds no "~" and no "/", so the last one parts it from the namespace. */
export function promptCursor({ ns, key }: PromptPlace): string {
  return `${ns}~${key}`
}

/** Null for anything that `promptCursor` did not make. */
export function promptPlace(cursor: string): PromptPlace | null {
  const [, ns, key] = /^([^~]+)~([^~/]+)$/.exec(cursor) ?? []
  return ns === undefined || key === undefined ? null : { ns, key }
}

/** Null: from the top. An invalid cursor starts from the top, too. */
export function placeAfter(cursor: string | null | undefined): Place | null {
  return cursor === null || cursor === undefined ? null : parseKeyset(cursor)
}
