// A notification ends a pause early; the pause limits how long a due message can go unnoticed.
import type { ReceiveSettings } from './mailbox-settings.ts'

/** A wakeup during a poll is not lost. */
export class Wakeup {
  readonly #waiting = new Set<() => void>()
  #count = 0

  /** Read it before polling. */
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
  /** Maximum pause until the next poll, in milliseconds; called after a poll without a message. */
  readonly pauseMs: () => Promise<number>
}

/** Polls immediately, after each wakeup and after each pause, until it takes a message, the wait is over, or it is aborted. */
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
