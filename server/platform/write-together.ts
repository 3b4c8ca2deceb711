// While writes are in progress, later ones wait and are written together. An idle writer writes at once, unless it rests.

export interface Gathered<Item, Result> {
  /** Results in the order of `items`. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Items that share a key are never written together. */
  readonly selectKeys: (item: Item) => Iterable<string>
  /** Size of an item, in the unit of `most`; absent: 1. */
  readonly weigh?: (item: Item) => number
  /** Most that is written together; a larger item is written alone. */
  readonly most: number
  /** Most writes at the same time; absent: 1. */
  readonly atOnce?: number
  /** Weight from which items start another write at once; less waits for the write in progress. Absent: any weight does. */
  readonly enough?: number
  /** Longest that less than `enough` waits for a write in progress while another may start, in milliseconds; absent: until its end. */
  readonly patienceMs?: number
  /** Pause after a write of `writeMs` during which items arrived, but fewer than `enough`, in milliseconds; absent: none. */
  readonly pauseMs?: (writeMs: number) => number
  /** Pause after a write, in milliseconds, to gather more items while fewer than `most` wait; absent: none. */
  readonly restMs?: number
  /** Further such pauses while no urgent item waits; absent: none. */
  readonly calm?: { readonly rests: number; readonly isUrgent: (item: Item) => boolean }
  /** True when a single item may have caused the failure; then each is written alone. */
  readonly isOnesFault: (error: unknown) => boolean
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly isUrgent: boolean
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** The returned function resolves when its item is written, and rejects with the error of its write. */
export function writeTogether<Item, Result>(
  options: Gathered<Item, Result>,
): (item: Item) => Promise<Result> {
  const { selectKeys, weigh = () => 1, most, atOnce = 1, restMs = 0 } = options
  const { enough = 0, patienceMs, pauseMs = () => 0, calm } = options
  let waiting: Waiting<Item, Result>[] = []
  let writes = 0
  const take = (): Waiting<Item, Result>[] => {
    const keys = new Set<string>()
    const taken: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    let weight = 0
    for (const one of waiting) {
      const own = [...selectKeys(one.item)]
      const more = weigh(one.item)
      const fits =
        taken.length === 0 || (weight + more <= most && !own.some((key) => keys.has(key)))
      for (const key of own) keys.add(key)
      if (fits) {
        taken.push(one)
        weight += more
      } else left.push(one)
    }
    waiting = left
    return taken
  }
  const isEnough = (): boolean =>
    waiting.reduce((weight, { item }) => weight + weigh(item), 0) >= enough
  const isCalm = (): boolean => !waiting.some(({ isUrgent }) => isUrgent)
  const restOften = async (): Promise<void> => {
    for (let rests = 0; rests <= (calm?.rests ?? 0); rests++) {
      if (waiting.length >= most || (rests > 0 && !isCalm())) return
      await rest(restMs)
    }
  }
  const run = async (): Promise<void> => {
    writes += 1
    do {
      const started = performance.now()
      await settle(options, take())
      if (waiting.length > 0 && writes === 1 && !isEnough())
        await rest(pauseMs(performance.now() - started))
      if (restMs > 0) await restOften()
    } while (waiting.length > 0 && (writes === 1 || isEnough()))
    writes -= 1
  }
  const startLate = async (one: Waiting<Item, Result>, ms: number): Promise<void> => {
    await rest(ms)
    if (writes < atOnce && waiting.includes(one)) void run()
  }
  return (item) =>
    new Promise((resolve, reject) => {
      const one = { item, isUrgent: calm?.isUrgent(item) === true, resolve, reject }
      waiting.push(one)
      if (writes === 0 || (writes < atOnce && isEnough())) void run()
      else if (patienceMs !== undefined) void startLate(one, patienceMs)
    })
}

/** Does not keep the process alive. */
function rest(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
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
