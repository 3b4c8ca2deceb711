// The next page starts right after the last row, no matter how many rows were added before it meanwhile.

import { ServiceError } from '../base/errors.ts'
import type { PromptName, Type } from '../list/define-list.ts'
import { holdsUnstorable } from '../unstorable.ts'

export interface Place {
  /** Epoch ms of the sort column. */
  readonly at: number
  readonly id: string
}

export function formatCursor({ at, id }: Place): string {
  return `${at}~${id}`
}

/** Null: `formatCursor` did not make it. */
function parseKeyset(cursor: string): Place | null {
  const match = /^(\d{1,15})~([A-Za-z0-9_]{1,80})$/.exec(cursor)
  return match === null ? null : { at: Number(match[1]), id: match[2] ?? '' }
}

/** `values`: of the columns that order the list, then the id if those are not unique. For a time and an id, equal to `formatCursor`. */
export function formatRowPlace(values: readonly (string | number)[]): string {
  return values.map((value) => encodeURIComponent(value).replaceAll('~', '%7E')).join('~')
}

/** Null: `formatRowPlace` did not make it from as many columns. */
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
    // decodeURIComponent cannot decode it.
    return null
  }
}

/** Cursor of lists in order of prompt. A key contains no "~" and no "/", so the last one separates it from the namespace. */
export function promptCursor({ ns, key }: PromptName): string {
  return `${ns}~${key}`
}

/** Null: `promptCursor` did not make it. */
export function promptPlace(cursor: string): PromptName | null {
  const [, ns, key] = /^([^~]+)~([^~/]+)$/.exec(cursor) ?? []
  return ns === undefined || key === undefined ? null : { ns, key }
}

/** Names the parameter of the management API, because users of the console type no cursor. */
export function refuseCursor(): never {
  const message = 'Send `next` of the page before as `after`, unchanged.'
  throw new ServiceError('invalid', message, 'after')
}

/** Null: from the top. Throws `invalid` for a cursor that `formatCursor` did not make. */
export function placeAfter(cursor: string | null | undefined): Place | null {
  return cursor === null || cursor === undefined ? null : (parseKeyset(cursor) ?? refuseCursor())
}
