// Keeps the loaded pages of a keyset-paged list, which is read again only on request. Rows do not move when the user returns to the window,
// to the network or by Back. Pages of a list stay in memory while the user visits pages opened from it.
import { isReturning } from './returning.ts'

const KEPT_MS = 30 * 60_000

export const KEPT_PAGES = {
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  refetchOnMount: () => !isReturning(),
  gcTime: KEPT_MS,
} as const

/** Options for the infinite query of a list whose pages contain the cursor of the next one. */
export const KEPT_LIST = {
  ...KEPT_PAGES,
  getNextPageParam: (last: { readonly nextCursor: string | null }) => last.nextCursor,
} as const
