// Not left to cmdk, which loses entries that arrive while the user types.
import { defaultFilter } from 'cmdk'
import type { LucideIcon } from 'lucide-react'

export interface PaletteEntry {
  /** Unique in the palette. */
  readonly id: string
  readonly name: string
  readonly run: () => void
  /** Text that is searched; absent: the name. */
  readonly words?: string
  readonly icon?: LucideIcon
  readonly code?: string
  /** Shown with the tag of the demo. */
  readonly isDemo?: boolean
  /** Reason why it is not possible now; absent: it is. */
  readonly refusal?: string | undefined
  /** The server found the entry for the typed text, so it is shown without matching its words. */
  readonly isFound?: boolean
}

export interface PaletteGroup {
  readonly heading: string
  readonly entries: readonly PaletteEntry[]
  /** Maximum number of entries shown; absent: the default of all groups. */
  readonly most?: number
}

interface Ranked<Item> {
  readonly item: Item
  /** From 0 (no match) to 1. */
  readonly score: number
}

/** Stable: entries with equal scores keep their order. */
function bestFirst<Item>(ranked: readonly Ranked<Item>[]): readonly Ranked<Item>[] {
  return ranked.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score)
}

/** An entry matches if it contains every typed word: letters that are scattered over a name are no match. */
function scoreEntry({ words, name, isFound }: PaletteEntry, text: string): number {
  if (isFound === true) return 1
  const searched = (words ?? name).toLowerCase()
  const isMatch = text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
  return isMatch ? Math.max(defaultFilter(words ?? name, text), Number.MIN_VALUE) : 0
}

/** Groups with a match, best match first, and their matches in the same order. Without typed text, the given order. */
export function rankGroups(
  groups: readonly PaletteGroup[],
  typed: string,
): readonly PaletteGroup[] {
  const filled = groups.filter(({ entries }) => entries.length > 0)
  const text = typed.trim()
  if (text === '') return filled
  const ranked = filled.map(({ entries, ...group }) => {
    const scored = entries.map((item) => ({ item, score: scoreEntry(item, text) }))
    const best = bestFirst(scored)
    return { item: { ...group, entries: best.map(({ item }) => item) }, score: best[0]?.score ?? 0 }
  })
  return bestFirst(ranked).map(({ item }) => item)
}
