/** null: no name is close, so more than a third of the characters would have to change. Of equally close names, returns the first. */
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
    farthest = distance - 1
  }
  return best
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}

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
