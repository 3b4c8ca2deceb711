// Whether a key was the second of a sequence that began with `g` (`g s`, `g g`): then it is nothing by itself, or `g t` would lead to
// the runtimes and change the theme.

const WITHIN_MS = 1_000

const seconds = new WeakSet<Event>()
let begunAt: number | null = null
let isWatching = false

const MODIFIERS = ['Shift', 'Meta', 'Alt', 'Control']

function isFree({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return false
  return (
    target.closest('input, textarea, select, [contenteditable="true"], [role="dialog"]') === null
  )
}

function note(event: KeyboardEvent): void {
  if (MODIFIERS.includes(event.key)) return
  const isSecond = begunAt !== null && event.timeStamp - begunAt < WITHIN_MS
  begunAt = null
  if (isSecond) seconds.add(event)
  else if (event.key === 'g' && isFree(event)) begunAt = event.timeStamp
}

/** Begins to listen, ahead of those who act on keys; once is enough. */
export function watchSequences(): void {
  if (isWatching) return
  isWatching = true
  window.addEventListener('keydown', note, { capture: true })
}

export function isSecondKey(event: Event): boolean {
  return seconds.has(event)
}
