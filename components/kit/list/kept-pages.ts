// Read again only on request: rows do not move when the user returns to the window, to the network or by Back.
import { isReturning } from './returning.ts'

const KEPT_MS = 30 * 60_000

export const KEPT_PAGES = {
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  refetchOnMount: () => !isReturning(),
  gcTime: KEPT_MS,
} as const

export const BY_CURSOR = {
  getNextPageParam: (last: { readonly nextCursor: string | null }) => last.nextCursor,
} as const

export const KEPT_LIST = { ...KEPT_PAGES, ...BY_CURSOR } as const
