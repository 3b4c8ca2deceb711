// Headers with which proxy.ts gives pages their own address, because Next gives a layout none.
import { PROJECT_HEADER } from '@/server/platform/auth/asked-project.ts'

export const PAGE_HEADER = 'x-signalbox-page'

/** The slug in the address; null: none. Does not check the membership. */
export function readPageProject(headers: Headers): string | null {
  return headers.get(PROJECT_HEADER)
}
