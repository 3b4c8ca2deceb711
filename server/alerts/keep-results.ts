const KEPT_MS = 10 * 60_000
const MOST_KEPT = 2_000

/** Keeps results by name for ten minutes: each reads a week, which each visit of a page would read again. */
export function keepResults<Result>() {
  /** `until`: epoch ms. */
  const kept = new Map<string, { readonly result: Result; readonly until: number }>()
  return async (name: string, compute: () => Promise<Result>): Promise<Result> => {
    const now = Date.now()
    const known = kept.get(name)
    if (known !== undefined && known.until > now) return known.result
    const result = await compute()
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(name, { result, until: now + KEPT_MS })
    return result
  }
}
