/** `Line 1, column 5`, both from 1; columns count UTF-16 units. */
function describeSourcePlace(source: string, offset: number): string {
  const before = source.slice(0, offset).split('\n')
  return `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

export function placed(source: string, offset: number | null, sentence: string): string {
  if (offset === null) return `${sentence}.`
  // The parser's offset of an operator includes the spaces before it.
  const blanks = /^\s*/.exec(source.slice(offset))?.[0].length ?? 0
  return `${describeSourcePlace(source, offset + blanks)}: ${sentence}.`
}
