// A second key has no action of its own; else `g t` would open the runtimes and also change the theme.
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

/** Starts listening before the handlers of keys. Further calls have no effect. */
function watchSequences(): void {
  if (isWatching) return
  isWatching = true
  window.addEventListener('keydown', note, { capture: true })
}

export function isSecondKey(event: Event): boolean {
  return seconds.has(event)
}

/** Bind once: a binding created between `g` and the next key misses the `g`. The returned function ends it. */
export function bindKeys(
  names: readonly string[],
  run: (event: KeyboardEvent, name: string) => void,
): () => void {
  watchSequences()
  const bindings = names.map((name) => [name, (event: KeyboardEvent) => run(event, name)] as const)
  return tinykeys(window, Object.fromEntries(bindings))
}
