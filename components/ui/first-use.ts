// Defers loading until the user first interacts with the page, so that a page that is only read fetches nothing extra.

const SIGNS = ['pointermove', 'pointerdown', 'keydown'] as const

/** Calls `run` once, at the first movement, press or key. Returns a function that cancels it. */
export function atFirstUse(run: () => void): () => void {
  const over = new AbortController()
  const begin = (): void => {
    over.abort()
    run()
  }
  for (const sign of SIGNS) {
    window.addEventListener(sign, begin, { capture: true, passive: true, signal: over.signal })
  }
  return () => over.abort()
}
