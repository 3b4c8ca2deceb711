// Newer readings of sessions, laid over the list as it was read. Pure.
import type { SessionFacts } from '@/server/read-models/session-columns.ts'
import type { SessionPatch } from '@/server/read-models/session-list.ts'

export type Patches = ReadonlyMap<string, SessionPatch>

/** A session whose count grew between two pages is on both; its first place counts. */
export function eachOnce(sessions: readonly SessionFacts[]): readonly SessionFacts[] {
  const known = new Set<string>()
  return sessions.filter(({ id }) => known.size < known.add(id).size)
}

/** A row keeps its place even when it no longer matches the filter; `fresh` counts matching sessions that are not listed. */
export function applyPatches(
  listed: readonly SessionFacts[],
  patches: Patches,
): { readonly sessions: readonly SessionFacts[]; readonly fresh: number } {
  if (patches.size === 0) return { sessions: listed, fresh: 0 }
  const known = new Set(listed.map(({ id }) => id))
  const newest = listed.reduce((most, { startedAt }) => Math.max(most, startedAt), 0)
  let fresh = 0
  for (const patch of patches.values()) {
    // Older sessions that are not listed are behind the last page.
    if (patch.matches && !known.has(patch.id) && patch.startedAt >= newest) fresh += 1
  }
  return { sessions: listed.map((session) => patches.get(session.id) ?? session), fresh }
}
