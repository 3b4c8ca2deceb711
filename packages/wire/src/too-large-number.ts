// JSON.parse turns 1e999 into infinity, which has no canonical form, so the value could be neither hashed nor stored as sent.

/**
 * Matches every such number and some harmless texts: an exponent of three digits, or hundreds of digits, which a number needs if its
 * exponent has two. A number inside an array or an object follows one of these characters; without them, nearly every hash would match.
 */
const SUSPECT = /[[:,\s-]\d+(?:\.\d+)?[eE]\+?\d{3}|[[:,\s-]\d{200}/

/** Path of the first such number after JSON.parse; null: none. `value` is the parsed `text`, nested at most 100 deep. */
export function tooLargeNumber(text: string, value: unknown): readonly PropertyKey[] | null {
  return typeof value === 'number' || SUSPECT.test(text) ? pathTo(value) : null
}

function pathTo(value: unknown): readonly PropertyKey[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : []
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const path = pathTo(inner)
    if (path !== null) return [key, ...path]
  }
  return null
}
