// Measures the nesting of a JSON text before it is parsed: code that walks the value later, to hash or to compare it, would run out of
// stack.

/** Deeper texts are refused; a person's config or a tool's arguments have a tenth of it. */
export const MAX_DEPTH = 100

const [QUOTE, BACKSLASH] = ['"', '\\'].map((character) => character.charCodeAt(0))
const OPENING = new Set(['[', '{'].map((character) => character.charCodeAt(0)))
const CLOSING = new Set([']', '}'].map((character) => character.charCodeAt(0)))

/** Brackets inside strings do not count. The text need not be valid JSON. */
export function isTooDeep(text: string, limit = MAX_DEPTH): boolean {
  // Most events have few brackets, which is detected much faster than their depth.
  return hasMoreThan(text, limit) && measureTextDepth(text) > limit
}

function hasMoreThan(text: string, limit: number): boolean {
  let found = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      found += 1
      if (found > limit) return true
    }
  }
  return false
}

function measureTextDepth(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = findStringEnd(text, at)
    else if (OPENING.has(code)) deepest = Math.max(deepest, ++depth)
    else if (CLOSING.has(code)) depth--
  }
  return deepest
}

/** Position of the closing quote; the end of the text when there is none. */
function findStringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at
}
