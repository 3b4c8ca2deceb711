// A page that is only read fetches nothing extra.

const SIGNS = ['pointermove', 'pointerdown', 'keydown'] as const

/** Returns a function that cancels the call. */
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
