// Waits for a message: a notification wakes it early, and a pause bounds the time for which it assumes that none is due.
import type { ReceiveSettings } from './mailbox-settings.ts'

/** Wakes waiting receivers. A wakeup that arrives while they poll is not lost. */
export class Wakeup {
  readonly #waiting = new Set<() => void>()
  #count = 0

  /** To be read before looking. */
  get count(): number {
    return this.#count
  }

  wake(): void {
    this.#count += 1
    for (const end of [...this.#waiting]) end()
  }

  /** Resolves at the first wakeup after `count`, after `ms`, or when aborted. */
  wait(count: number, ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      if (count !== this.#count || signal?.aborted === true) {
        resolve()
        return
      }
      const end = () => {
        clearTimeout(timer)
        this.#waiting.delete(end)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.#waiting.add(end)
      signal?.addEventListener('abort', end)
    })
  }
}

export interface Waiting<Taken> {
  readonly wakeup: Wakeup
  readonly now: () => number
  readonly take: () => Promise<readonly Taken[]>
  /** Longest pause until the next look, in milliseconds; asked after a look that found nothing. */
  readonly pauseMs: () => Promise<number>
}

/** Polls, and polls again after each wakeup and each pause, until something was taken, the wait is over, or aborted. */
export async function waitForMessages<Taken>(
  { wakeup, now, take, pauseMs }: Waiting<Taken>,
  { waitSeconds, signal }: Pick<ReceiveSettings, 'waitSeconds' | 'signal'>,
): Promise<readonly Taken[]> {
  const until = now() + waitSeconds * 1000
  while (signal?.aborted !== true) {
    const { count } = wakeup
    const taken = await take()
    const leftMs = until - now()
    if (taken.length > 0 || leftMs <= 0) return taken
    await wakeup.wait(count, Math.min(leftMs, await pauseMs()), signal)
  }
  return []
}
