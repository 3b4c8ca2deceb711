// The status of a release: it is live when every connected runtime that hosts its prompt reports that it applied the release's revision
// or a later one, or when such a runtime applied it and has left since (specs/releases.md). What was sent to runtimes does not count.
import type { StandingRow } from './release-standing.sql.ts'

/** `waiting`: no runtime that hosts the prompt is connected, and none has applied it. */
export type ReleaseStatus =
  | 'publishing'
  | 'waiting'
  | 'live'
  | 'partial'
  | 'superseded'
  | 'rolled_back'

export interface Standing extends StandingRow {
  readonly status: ReleaseStatus
}

function computeReleaseStatus(row: StandingRow): ReleaseStatus {
  const { applied, rejected, total, successor, lastApplied } = row
  if (successor !== null) return successor.kind === 'rollback' ? 'rolled_back' : 'superseded'
  if (total === 0) return lastApplied === null ? 'waiting' : 'live'
  if (applied === total) return 'live'
  return rejected > 0 ? 'partial' : 'publishing'
}

/** A listed release with the word for where it stands. */
export function withStatus<Row extends StandingRow>(row: Row): Row & Standing {
  return { ...row, status: computeReleaseStatus(row) }
}
