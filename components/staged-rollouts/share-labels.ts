export interface ShareMark {
  readonly at: number
  readonly label: string
}

/** Gives changes that are close to each other one label, such as `25% → 50%`. Marks: oldest first. */
export function joinLabels(marks: readonly ShareMark[], gapMs: number): readonly ShareMark[] {
  const joined: ShareMark[] = []
  for (const mark of marks) {
    const last = joined.at(-1)
    if (last === undefined || mark.at - last.at > gapMs) joined.push(mark)
    else joined.splice(-1, 1, { at: last.at, label: `${last.label} → ${mark.label}` })
  }
  return joined
}
