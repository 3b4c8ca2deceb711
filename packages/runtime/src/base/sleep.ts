// Waits that can end early. Background waits do not keep the agent's process alive; waits that the agent itself awaits must, or Node ends
// the process in the middle of them.

/** In the background. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, signal, false)
}

/** Sleep for promises that the agent awaits. */
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
