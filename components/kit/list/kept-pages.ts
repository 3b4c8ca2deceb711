// How a list in keyset pages keeps what was loaded of it: it is read again when the reader asks. Rows move neither under who comes back to
// the window, to the network or by Back, and a list that was left is kept for as long as somebody reads what it led to.
import { isReturning } from './returning.ts'

const KEPT_MS = 30 * 60_000

export const KEPT_PAGES = {
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  refetchOnMount: () => !isReturning(),
  gcTime: KEPT_MS,
} as const
