// Constant cost (specs/enforcement.md). All breaches are counted and the first listed, so list and header need not read the log. Pure.
import type { RecordedCapabilities } from '@signalbox/core'
import { anomalyBreach, type Breach, enforcementGaps } from '@signalbox/core/analysis'
import type { FoundAnomaly } from './fold.ts'
import type { SessionRow } from './session-rows.sql.ts'

const MOST_LISTED = 50

type Kept = Pick<SessionRow, 'breaches' | 'breachCount' | 'enforcement'>

/** Applies session.started when it is stored, which may be after later events. */
export function enforcementAtStart(
  { breachCount }: Pick<SessionRow, 'breachCount'>,
  capabilities: RecordedCapabilities | null,
): SessionRow['enforcement'] {
  if (breachCount > 0) return 'breach'
  return enforcementGaps({ capabilities, breaches: [] }).length > 0 ? 'gap' : 'full'
}

export function breachesAmong(anomalies: readonly FoundAnomaly[]): readonly Breach[] {
  return anomalies.flatMap(({ seq, anomaly }) => anomalyBreach(seq, anomaly) ?? [])
}

/** `found` must be new, because stored breaches are already counted. The first by sequence number are listed, for any order of arrival. */
export function withBreaches(row: Kept, found: readonly Breach[]): Kept {
  const { breaches, breachCount, enforcement } = row
  if (found.length === 0) return { breaches, breachCount, enforcement }
  // Written by this function only.
  const listed = JSON.parse(breaches) as readonly Breach[]
  const first = [...listed, ...found].sort((a, b) => a.seq - b.seq).slice(0, MOST_LISTED)
  return {
    breaches: JSON.stringify(first),
    breachCount: breachCount + found.length,
    enforcement: 'breach',
  }
}
