// Delay before a retry: doubling, bounded, with jitter so that runtimes do not all retry at once.

const FIRST_MS = 250
const LONGEST_MS = 30_000

/** Milliseconds to wait. `attempt` counts from 1; `random` is from 0 to 1. At least half of the full delay. */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 16))
  return Math.round(full / 2 + (full / 2) * random)
}

/** Milliseconds. The server's demand and up to a fifth more, because it gives many runtimes the same one; without a demand `backoffMs`. */
export function retryMs(
  { retryAfterMs }: { readonly retryAfterMs?: number },
  attempt: number,
  random: number,
): number {
  if (retryAfterMs === undefined) return backoffMs(attempt, random)
  return Math.round(retryAfterMs * (1 + random / 5))
}
