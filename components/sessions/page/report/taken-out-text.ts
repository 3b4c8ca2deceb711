// Summarizes in one sentence the values removed from a session's events before they were recorded. Pure.

import { plural } from '@signalbox/core/analysis'
import type { SessionReport } from '@/server/explanations/session-report.ts'

export function takenOutText({
  readOmission,
  record,
}: Pick<SessionReport, 'readOmission' | 'record'>): string {
  if (record === null) return 'The redactions are no longer known.'
  if (readOmission.length === 0) return 'Nothing was redacted.'
  const told = readOmission.map(({ rule, values, events }) => {
    const how = rule === null ? 'truncated' : `redacted by ${rule}`
    return `${plural(values, 'value')} in ${plural(events, 'event')} ${how}`
  })
  return `Before recording: ${told.join('; ')}.`
}
