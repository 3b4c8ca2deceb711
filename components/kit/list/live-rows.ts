// A list that was read in pages, with its newest page as it stands now laid over it. Pure.

interface Identified {
  readonly id: string
}

/** Rows keep their places and take what `head` knows of them; `fresh` counts those of `head` that are not listed. */
export function withHead<Row extends Identified>(
  listed: readonly Row[],
  head: readonly Row[],
): { readonly rows: readonly Row[]; readonly fresh: number } {
  if (head.length === 0) return { rows: listed, fresh: 0 }
  const newest = new Map(head.map((row) => [row.id, row]))
  const known = new Set(listed.map(({ id }) => id))
  return {
    rows: listed.map((row) => newest.get(row.id) ?? row),
    fresh: head.filter(({ id }) => !known.has(id)).length,
  }
}
