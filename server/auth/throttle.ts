// A fixed-window counter per key, in memory of this process. Bounded: old windows are dropped before the map grows large.

interface Window {
  readonly since: number
  count: number
}

export interface Throttle {
  /** Counts one try; false when the key has used up its window. */
  admit(key: string, now: number): boolean
}

const MOST_KEYS = 10_000

export function createThrottle(options: {
  readonly limit: number
  readonly windowMs: number
}): Throttle {
  const windows = new Map<string, Window>()
  const isOver = (window: Window, now: number): boolean => now - window.since >= options.windowMs
  const makeRoom = (now: number): void => {
    for (const [key, window] of windows) if (isOver(window, now)) windows.delete(key)
    for (const key of windows.keys()) {
      if (windows.size < MOST_KEYS) return
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
      if (windows.size >= MOST_KEYS) makeRoom(now)
      windows.set(key, { since: now, count: 1 })
      return true
    },
  }
}
