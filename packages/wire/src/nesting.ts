// Code that later walks a deeper value, to hash or compare it, would overflow the stack.

/** Deeper texts are refused. Configs and tool arguments have about a tenth of this depth. */
export const MAX_DEPTH = 100

const [QUOTE, BACKSLASH] = ['"', '\\'].map((character) => character.charCodeAt(0))
const OPENING = new Set(['[', '{'].map((character) => character.charCodeAt(0)))
const CLOSING = new Set([']', '}'].map((character) => character.charCodeAt(0)))

/** Brackets inside strings do not count. The text may be invalid JSON. */
export function isTooDeep(text: string, limit = MAX_DEPTH): boolean {
  // Most events have few brackets, and counting brackets is much faster than measuring depth.
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

function findStringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at
}
