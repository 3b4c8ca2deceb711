import { createParser } from 'nuqs'
import type { List } from '@/server/platform/list/define-list.ts'
import { ALL_TIME, parseRange, type Range } from './range.ts'

/** An invalid range in the address is ignored. */
export const parseAsRange = createParser({
  parse: (text) => (parseRange(text, 0) === null ? null : text),
  serialize: (text: string) => text,
})

/** `all` removes the standard range. */
export const parseAsListRange = createParser({
  parse: (text) => (text === ALL_TIME ? text : parseAsRange.parse(text)),
  serialize: (text: string) => text,
})

/** `range`: as in the address. `now`: epoch ms, end of a relative range. */
export function limitTime({ standardRange }: List, range: string | null, now: number): Range {
  return parseRange(range ?? standardRange ?? ALL_TIME, now) ?? {}
}

/** Parses `ns/key`; a key has no slash. Undefined: the text is invalid. */
export function parsePrompt(
  text: string | null,
): { readonly ns: string; readonly key: string } | undefined {
  const at = text?.lastIndexOf('/') ?? -1
  return text === null || at < 1 ? undefined : { ns: text.slice(0, at), key: text.slice(at + 1) }
}
