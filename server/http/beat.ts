// One timer for all open streams. Each callback runs every ten seconds; they are spread over that time in ten groups, so that a thousand
// streams do not all run at the same moment.

const BEAT_MS = 10_000
const GROUPS = 10

const groups: readonly Set<() => void>[] = Array.from({ length: GROUPS }, () => new Set())
let timer: NodeJS.Timeout | null = null
let turn = 0

function beat(): void {
  turn = (turn + 1) % GROUPS
  for (const call of groups[turn] ?? []) call()
}

/** Returns the function that ends it. `call` must not throw. */
export function everyBeat(call: () => void): () => void {
  const smallest = groups.reduce((one, other) => (other.size < one.size ? other : one))
  smallest.add(call)
  timer ??= setInterval(beat, BEAT_MS / GROUPS)
  return () => {
    smallest.delete(call)
    if (timer === null || groups.some(({ size }) => size > 0)) return
    clearInterval(timer)
    timer = null
  }
}
