// Caches and open connections of this process to its database. `forgetAll` empties all of them at once, so that a process can continue with
// another database.

type Forget = () => void | Promise<void>

const forgets = new Set<Forget>()

/** Registers a cache that `forgetAll` clears. Returns it. */
export function remembered<Cache extends { clear(): void }>(cache: Cache): Cache {
  forgets.add(() => cache.clear())
  return cache
}

/** Registers further work of `forgetAll`. */
export function onForget(forget: Forget): void {
  forgets.add(forget)
}

/** Call only while no request is being answered. Rejects with the first failure, after all have been tried. */
export async function forgetAll(): Promise<void> {
  const results = await Promise.allSettled([...forgets].map(async (forget) => await forget()))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
