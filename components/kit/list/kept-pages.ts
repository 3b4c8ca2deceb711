// Keeps the loaded pages of a keyset-paged list: it is read again only on the reader's request. Rows do not move when the reader returns to
// the window, to the network or by Back. A list that was left is kept while its reader visits pages that it led to.
import { isReturning } from './returning.ts'

const KEPT_MS = 30 * 60_000

export const KEPT_PAGES = {
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  refetchOnMount: () => !isReturning(),
  gcTime: KEPT_MS,
} as const

/** For the query of a list whose pages name the next one. */
export const KEPT_LIST = {
  ...KEPT_PAGES,
  getNextPageParam: (last: { readonly nextCursor: string | null }) => last.nextCursor,
} as const
