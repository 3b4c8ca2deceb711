// "Did you mean": the name closest to an unknown one.

/** Null when nothing is close: more than a third of the name would have to change. The first of equally close ones. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const wanted = plain(name)
  let farthest = Math.floor(name.length / 3)
  let best: string | null = null
  for (const candidate of known) {
    // Every added or removed character is one change.
    if (Math.abs(candidate.length - name.length) > farthest || candidate === name) continue
    const distance = computeDistance(wanted, plain(candidate))
    if (distance > farthest) continue
    best = candidate
    if (distance === 0) break
    farthest = distance - 1
  }
  return best
}

/** Names that differ only in case or in word separators are treated as the same. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}

/** Levenshtein distance, row by row. */
function computeDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const swap = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap))
    }
    row = next
  }
  return row[other.length] ?? 0
}
