// A fixed-window counter per key, in memory of this process. Bounded: the oldest windows make room for new ones, whether over or not.

interface Window {
  readonly since: number
  count: number
}

export interface Throttle {
  /** Counts one try; false when the key has used up its window. */
  admit(key: string, now: number): boolean
}

const MOST_KEYS = 10_000
/** What is left when room is made: many go at once, so that one try costs the same however many keys there are. */
const KEPT_KEYS = 7_500

export function createThrottle(options: {
  readonly limit: number
  readonly windowMs: number
}): Throttle {
  // In the order in which they began: what is dropped is always the first.
  const windows = new Map<string, Window>()
  const isOver = (window: Window, now: number): boolean => now - window.since >= options.windowMs
  const makeRoom = (now: number): void => {
    for (const [key, window] of windows) {
      if (windows.size < KEPT_KEYS && !isOver(window, now)) return
      windows.delete(key)
    }
  }
  return {
    admit(key, now) {
      const open = windows.get(key)
      if (open !== undefined && !isOver(open, now)) {
        open.count += 1
        return open.count <= options.limit
      }
      windows.delete(key)
      if (windows.size >= MOST_KEYS) makeRoom(now)
      windows.set(key, { since: now, count: 1 })
      return true
    },
  }
}
