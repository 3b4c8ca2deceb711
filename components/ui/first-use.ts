// A page that is only read fetches nothing extra.

const SIGNS = ['pointermove', 'pointerdown', 'keydown'] as const

/** A browser also reports a pointer that rests where a page appears; such a move has no distance. */
const isAtRest = (event: Event): boolean =>
  event instanceof PointerEvent &&
  event.type === 'pointermove' &&
  event.movementX === 0 &&
  event.movementY === 0

/** Returns a function that cancels the call. */
export function atFirstUse(run: () => void): () => void {
  const over = new AbortController()
  const begin = (event: Event): void => {
    if (isAtRest(event)) return
    over.abort()
    run()
  }
  for (const sign of SIGNS) {
    window.addEventListener(sign, begin, { capture: true, passive: true, signal: over.signal })
  }
  return () => over.abort()
}
