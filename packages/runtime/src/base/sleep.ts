// Waits that the agent awaits must keep the process alive, or Node.js exits in the middle of them. Background waits must not.

/** Waits in the background, without keeping the process alive. Never rejects. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, signal, false)
}

/** Waits for the agent, and keeps the process alive. Never rejects. */
export function awaitedSleep(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, signal, true)
}

function wait(ms: number, signal: AbortSignal, keepsAlive: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (!keepsAlive) timer.unref()
    signal.addEventListener('abort', done)
  })
}
