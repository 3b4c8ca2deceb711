// `resetAll` empties the registered caches, so that the process can continue with another database.

type Forget = () => void | Promise<void>

const forgets = new Set<Forget>()

export function registerCache<Cache extends { clear(): void }>(cache: Cache): Cache {
  forgets.add(() => cache.clear())
  return cache
}

export function registerReset(forget: Forget): void {
  forgets.add(forget)
}

/**
 * Call only while no request is in progress. The last registered comes first, because it may still use what was registered before it. Tries
 * all of them, then rejects with the first failure.
 */
export async function resetAll(): Promise<void> {
  const failures: unknown[] = []
  for (const forget of [...forgets].reverse()) {
    try {
      await forget()
    } catch (failure) {
      failures.push(failure)
    }
  }
  if (failures.length > 0) throw failures[0]
}
