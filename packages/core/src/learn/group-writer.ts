import { closeGroup, type Group } from './counts.ts'

/** Builds the groups of a sample. */
export class GroupWriter {
  readonly #groups = new Map<string, Map<string, number>>()

  add(name: string, entry: string | number, count: number): void {
    if (count === 0) return
    const group = this.#groups.get(name) ?? new Map<string, number>()
    this.#groups.set(name, group)
    const key = String(entry)
    group.set(key, (group.get(key) ?? 0) + count)
  }

  addAll(name: string, entries: Iterable<readonly [string | number, number]>): void {
    for (const [entry, count] of entries) this.add(name, entry, count)
  }

  close(): ReadonlyMap<string, Group> {
    const closed = new Map<string, Group>()
    for (const [name, group] of this.#groups) {
      const kept = closeGroup(name, group)
      if (kept !== null) closed.set(name, kept)
    }
    return closed
  }
}
