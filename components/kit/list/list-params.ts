// Address parameters shared by lists.
import { createParser } from 'nuqs'
import { parseRange } from './range.ts'

/** An invalid range in the address is ignored. */
export const parseAsRange = createParser({
  parse: (text) => (parseRange(text, 0) === null ? null : text),
  serialize: (text: string) => text,
})

/** Parses `ns/key`; a key has no slash. Undefined: the text is invalid. */
export function parsePrompt(
  text: string | null,
): { readonly ns: string; readonly key: string } | undefined {
  const at = text?.lastIndexOf('/') ?? -1
  return text === null || at < 1 ? undefined : { ns: text.slice(0, at), key: text.slice(at + 1) }
}
