// `lower()` and ILIKE treat letters beyond a to z by the database's locale, and under "C" not at all. So the database folds a to z, which
// works everywhere, and receives the case variants of the other letters in the searched words.

/** One letter for all of its cases. A letter whose other case is several letters (ß) stays unchanged. */
function foldLetter(letter: string): string {
  const upper = letter.toUpperCase()
  const folded = ([...upper].length === 1 ? upper : letter).toLowerCase()
  return [...folded].length === 1 ? folded : letter
}

export function foldText(text: string): string {
  return [...text].map(foldLetter).join('')
}

const FIRST_BEYOND_ASCII = 0x80
const END_OF_CASES = 0x1e944

let known: ReadonlyMap<string, string> | undefined

function otherCases(): ReadonlyMap<string, string> {
  if (known !== undefined) return known
  const cases = new Map<string, string>()
  for (let code = FIRST_BEYOND_ASCII; code < END_OF_CASES; code += 1) {
    // Skips surrogates, which are no letters.
    if (code === 0xd800) code = 0xe000
    const letter = String.fromCodePoint(code)
    const folded = foldLetter(letter)
    if (folded !== letter) cases.set(folded, (cases.get(folded) ?? '') + letter)
  }
  known = cases
  return cases
}

/** Arguments of SQL's `translate(text, from, to)`, which convert the letters of these words to their folded form. */
export function computeFolding(words: readonly string[]): {
  readonly from: string
  readonly to: string
} {
  const letters = new Set([...foldText(words.join(''))].filter((letter) => letter > '\x7f'))
  let [from, to] = ['', '']
  for (const letter of letters) {
    for (const other of otherCases().get(letter) ?? '') {
      from += other
      to += letter
    }
  }
  return { from, to }
}

export function likeLiteral(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/**
 * SQL condition, never null, true without words. `bind` adds a value and returns its placeholder. PostgreSQL estimates that a word of
 * seven letters is in one row of ten thousand, so it would read and sort the whole range instead of the newest rows, in order, until a
 * page is full. It assumes that half of the rows pass a CASE.
 */
export function holdsEvery(
  expression: string,
  words: readonly string[],
  bind: (value: unknown) => string,
): string {
  if (words.length === 0) return 'true'
  const { from, to } = computeFolding(words)
  const lowered = `lower((${expression}) COLLATE "C")`
  const folded =
    from === '' ? lowered : `translate(${lowered}, ${bind(from)}::text, ${bind(to)}::text)`
  const patterns = words.map((word) => `%${likeLiteral(foldText(word))}%`)
  return `CASE WHEN ${folded} LIKE ALL (${bind(patterns)}::text[]) THEN true ELSE false END`
}

export function splitWords(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
