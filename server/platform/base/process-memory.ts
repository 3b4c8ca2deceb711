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

/** Call only while no request is in progress. Tries all of them, then rejects with the first failure. */
export async function resetAll(): Promise<void> {
  const results = await Promise.allSettled([...forgets].map(async (forget) => await forget()))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
