// Numbers beyond the range of a double, such as 1e999: JSON.parse makes them infinite, and an infinite number has no canonical form, so the
// value could be neither hashed nor stored as sent.

/**
 * Matches every such number, and some harmless texts: a power of three digits, or, as 99 is the largest of two, hundreds of digits. Only
 * the start of a row of digits is tried, so that no text takes more than one pass.
 */
const SUSPECT = /[eE]\+?\d{3}|(?<!\d)\d{200}/

/** The path to the first of them, as parsed by JSON.parse; null: there is none. `value` is the parsed `text`, nested at most 100 deep. */
export function tooLargeNumber(text: string, value: unknown): readonly PropertyKey[] | null {
  return SUSPECT.test(text) ? pathTo(value) : null
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
