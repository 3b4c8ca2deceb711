import { plural } from '@signalbox/core/analysis'
import type { SessionReport } from '@/server/explanations/session-report.ts'

export function takenOutText({
  takenOut,
  record,
}: Pick<SessionReport, 'takenOut' | 'record'>): string {
  if (record === null) return 'The redactions are no longer known.'
  if (takenOut.length === 0) return 'Nothing was redacted.'
  const told = takenOut.map(({ rule, values, events }) => {
    const how = rule === null ? 'truncated' : `redacted by ${rule}`
    return `${plural(values, 'value')} in ${plural(events, 'event')} ${how}`
  })
  return `Before recording: ${told.join('; ')}.`
}
