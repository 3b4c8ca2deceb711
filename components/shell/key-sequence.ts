// Keys of the window, and whether one was the second of a sequence that began with `g` (`g s`, `g g`): then it is nothing by itself, or
// `g t` would lead to the runtimes and change the theme.
import { tinykeys } from 'tinykeys'

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
function watchSequences(): void {
  if (isWatching) return
  isWatching = true
  window.addEventListener('keydown', note, { capture: true })
}

export function isSecondKey(event: Event): boolean {
  return seconds.has(event)
}

/**
 * Calls `run` with the name (as tinykeys reads it) of what was pressed, until the returned function is called. Bind once: a sequence is known
 * to its binding only, so one that is made anew between `g` and the next key does not know of the `g`.
 */
export function bindKeys(
  names: readonly string[],
  run: (event: KeyboardEvent, name: string) => void,
): () => void {
  watchSequences()
  const bindings = names.map((name) => [name, (event: KeyboardEvent) => run(event, name)] as const)
  return tinykeys(window, Object.fromEntries(bindings))
}
