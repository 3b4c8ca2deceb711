interface JsonErrorPlace {
  readonly line: number
  readonly column: number
  /** Text such as "unexpected }". */
  readonly found: string
}

/**
 * Where a text stops being JSON. Null: the error has no place.
 * @param error from the parser of momoa
 */
export function locateJsonError(text: string, error: unknown): JsonErrorPlace | null {
  if (!(error instanceof Error)) return null
  // The parser reports an early end at 1:1, where no one would look for it.
  if (error.message.startsWith('Unexpected end of input')) {
    const lines = text.split('\n')
    const column = (lines.at(-1) ?? '').length + 1
    return { line: lines.length, column, found: 'unexpected end' }
  }
  if (!('line' in error && 'column' in error && 'offset' in error)) return null
  const named = /'(.+)' found/su.exec(error.message)?.[1]
  const found = `unexpected ${named ?? text.charAt(Number(error.offset))}`
  return { line: Number(error.line), column: Number(error.column), found }
}
