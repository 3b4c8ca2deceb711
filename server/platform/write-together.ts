// Combines small writes that arrive at the same time: while a write is in progress, later ones wait and are written together. An idle
// writer writes at once, so no write waits for a timer.

export interface Gathered<Item, Result> {
  /** Results in the order of `items`. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Items with the same key are never written together. */
  readonly selectKey: (item: Item) => string
  readonly most: number
  /** True when a single item may have caused the failure; then each is written alone. */
  readonly isOnesFault: (error: unknown) => boolean
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** The returned function resolves when its item is written, and rejects with the error of its write. */
export function writeTogether<Item, Result>(
  options: Gathered<Item, Result>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isWriting = false
  const take = (): Waiting<Item, Result>[] => {
    const keys = new Set<string>()
    const taken: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    for (const one of waiting) {
      const key = options.selectKey(one.item)
      const fits = taken.length < options.most && !keys.has(key)
      keys.add(key)
      if (fits) taken.push(one)
      else left.push(one)
    }
    waiting = left
    return taken
  }
  const run = async (): Promise<void> => {
    isWriting = true
    while (waiting.length > 0) await settle(options, take())
    isWriting = false
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isWriting) void run()
    })
}

async function settle<Item, Result>(
  options: Gathered<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await options.write(batch.map(({ item }) => item))
    for (const [index, result] of results.entries()) batch[index]?.resolve(result)
  } catch (error) {
    if (batch.length > 1 && options.isOnesFault(error)) {
      for (const one of batch) await settle(options, [one])
    } else {
      for (const { reject } of batch) reject(error)
    }
  }
}
