// Parameters that the addresses of lists share.
import { createParser } from 'nuqs'
import { parseRange } from './range.ts'

/** Invalid ranges in a hand-written address are ignored. */
export const parseAsRange = createParser({
  parse: (text) => (parseRange(text, 0) === null ? null : text),
  serialize: (text: string) => text,
})

/** Parses `ns/key`; a key has no slash. Undefined for an invalid text. */
export function parsePrompt(
  text: string | null,
): { readonly ns: string; readonly key: string } | undefined {
  const at = text?.lastIndexOf('/') ?? -1
  return text === null || at < 1 ? undefined : { ns: text.slice(0, at), key: text.slice(at + 1) }
}
