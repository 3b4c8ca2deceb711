// Work that no page waits for.

/** For browsers without requestIdleCallback. */
const SOME_TIME_MS = 1_000

/** Runs once, when the page has loaded and the browser has nothing else to do. Returns how to call it off. */
export function whenIdle(run: () => void): () => void {
  let callOff: () => void
  const wait = (): void => {
    if ('requestIdleCallback' in window) {
      const id = requestIdleCallback(run)
      callOff = () => cancelIdleCallback(id)
    } else {
      const id = setTimeout(run, SOME_TIME_MS)
      callOff = () => clearTimeout(id)
    }
  }
  callOff = () => window.removeEventListener('load', wait)
  if (document.readyState === 'complete') wait()
  else window.addEventListener('load', wait, { once: true })
  return () => callOff()
}
