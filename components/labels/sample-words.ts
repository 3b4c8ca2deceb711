import { countText } from '@signalbox/core/analysis'
import type { SessionUse } from '@/server/labels/good-sessions.sql.ts'

const UNUSED = {
  bad: 'marked as bad',
  running: 'still running',
  lost: 'lost',
  not_completed: 'not completed',
  stop_not_allowed: 'whose last stop was not allowed',
  not_enforced: 'not fully enforced',
  not_stored: 'with events missing or archived',
  too_long: 'with more than 50,000 events',
} as const

/** A sentence after another one; empty: all sessions were used. */
export function describeUnused(uses: Readonly<Partial<Record<SessionUse, number>>>): string {
  const unused = Object.entries(UNUSED).flatMap(([use, words]) => {
    const sessions = uses[use as keyof typeof UNUSED] ?? 0
    return sessions === 0 ? [] : [`${countText(sessions)} ${words}`]
  })
  return unused.length === 0 ? '' : ` Not used: ${unused.join(', ')}.`
}
