// Where in a source something is, for people.

/** `Line 1, column 5`, both from one; columns count UTF-16 units. */
function placeOf(source: string, offset: number): string {
  const before = source.slice(0, offset).split('\n')
  return `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/** A sentence with its place in front when that is known. */
export function placed(source: string, offset: number | null, sentence: string): string {
  return offset === null ? `${sentence}.` : `${placeOf(source, offset)}: ${sentence}.`
}
