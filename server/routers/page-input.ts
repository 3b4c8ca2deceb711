// A page of a list as the console asks for it: the filter, and where the page before ended.
import { z } from 'zod'
import { type Place, placeOf } from '../read-models/keyset.ts'

export function pageInput<Filter extends z.ZodType>(filter: Filter) {
  return z.object({
    filter,
    cursor: z.string().max(120).nullish(),
    limit: z.number().int().min(1).max(200).default(100),
  })
}

/** Null: from the top, also for a cursor that was typed by hand. */
export function placeAfter(cursor: string | null | undefined): Place | null {
  return cursor === null || cursor === undefined ? null : placeOf(cursor)
}
