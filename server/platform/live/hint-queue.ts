// Merges hints about the same thing, so that a busy session wakes a browser ten times a second and not a thousand.
// Pure: the time is an argument.
import type { Hint } from './hint.ts'

/** Two hints about the same thing are at least this far apart, in milliseconds. */
const COALESCE_MS = 100

export interface HintQueue {
  /** The newest hint about a thing replaces the one that waits. */
  put(hint: Hint): void
  /** Takes out the hints that may be sent now. */
  take(now: number): readonly Hint[]
  /** Time at which the next waiting notification may be sent, epoch ms; null when none waits. */
  nextAt(): number | null
}

export function createHintQueue(): HintQueue {
  const waiting = new Map<string, Hint>()
  const sentAt = new Map<string, number>()
  const dueAt = (key: string): number => (sentAt.get(key) ?? 0) + COALESCE_MS
  return {
    put(hint) {
      waiting.set(`${hint.kind}:${hint.id ?? ''}`, hint)
    },
    take(now) {
      for (const key of sentAt.keys()) if (dueAt(key) <= now) sentAt.delete(key)
      const due = [...waiting].filter(([key]) => dueAt(key) <= now)
      for (const [key] of due) {
        waiting.delete(key)
        sentAt.set(key, now)
      }
      return due.map(([, hint]) => hint)
    },
    nextAt() {
      if (waiting.size === 0) return null
      return Math.min(...[...waiting.keys()].map(dueAt))
    },
  }
}
