export interface ListedRow {
  readonly id: string
}

export type Patch<Row> = Row & { readonly matches: boolean }
export type Patches<Row> = ReadonlyMap<string, Patch<Row>>

/** Drops duplicates: a row that moved between two reads is on both pages, and its first place counts. */
export function eachOnce<Row extends ListedRow>(rows: readonly Row[]): readonly Row[] {
  const known = new Set<string>()
  return rows.filter(({ id }) => known.size < known.add(id).size)
}

/** `fresh` counts matching rows that are not listed and began no earlier than the newest listed one; earlier ones are not loaded yet. */
export function applyPatches<Row extends ListedRow>(
  listed: readonly Row[],
  patches: Patches<Row>,
  beganAt: (row: Row) => number,
): { readonly rows: readonly Row[]; readonly fresh: number } {
  if (patches.size === 0) return { rows: listed, fresh: 0 }
  const known = new Set(listed.map(({ id }) => id))
  const newest = listed.reduce((most, row) => Math.max(most, beganAt(row)), 0)
  let fresh = 0
  for (const patch of patches.values()) {
    if (patch.matches && !known.has(patch.id) && beganAt(patch) >= newest) fresh += 1
  }
  return { rows: listed.map((row) => patches.get(row.id) ?? row), fresh }
}
