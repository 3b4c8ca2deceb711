// Headers by which proxy.ts passes pages their own address, because Next gives a layout none.
import { PROJECT_HEADER } from '@/server/platform/auth/asked-project.ts'

/** Path and query. */
export const PAGE_HEADER = 'x-signalbox-page'

/** The slug that the address names, whether or not the person has such a project; null: none. */
export function readPageProject(headers: Headers): string | null {
  return headers.get(PROJECT_HEADER)
}
