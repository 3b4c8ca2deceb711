// A caller gets a read that started after its call, so no result is stale. A thousand concurrent callers cost two reads.

interface Turns<Value> {
  readonly running: Promise<Value>
  next: Promise<Value> | null
}

/** If `read` rejects, all callers that shared it reject, and the next caller reads again. */
export function sharedRead<Key extends string, Value>(
  read: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const turns = new Map<Key, Turns<Value>>()
  const begin = (key: Key): Promise<Value> => {
    const running = read(key)
    const turn: Turns<Value> = { running, next: null }
    turns.set(key, turn)
    const end = (): void => {
      if (turns.get(key) === turn && turn.next === null) turns.delete(key)
    }
    running.then(end, end)
    return running
  }
  return (key) => {
    const turn = turns.get(key)
    if (turn === undefined) return begin(key)
    turn.next ??= turn.running.then(
      () => begin(key),
      () => begin(key),
    )
    return turn.next
  }
}
