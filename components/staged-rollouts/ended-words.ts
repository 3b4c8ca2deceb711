import { plural } from '@signalbox/core/analysis'
import { permilleText } from '@/components/releases/permille-text.ts'
import type { EndedRollout } from '@/server/staged-rollouts/staged-rollout-overview.ts'

export type Ended = Omit<EndedRollout, 'id' | 'ns' | 'key'>

const FORMER = 'a former member'

/** Share or kind, and the sessions that began with the new version. */
export function reachText({ kind, share, version, candidate }: Ended): string {
  const what = kind === 'staged' ? `${permilleText(share)} of new sessions` : 'monitored release'
  return `${what}, ${plural(candidate.sessions, 'session')} began with v${version}`
}

/** Users who started and ended it, with their notes. The note of the job that compares the versions repeats the reason. */
export function actorsText({ state, author, note, changes }: Ended): string {
  const end = changes.findLast(({ kind }) => kind !== 'started' && kind !== 'share')
  const isByJob = state === 'rolled_back' || state === 'passed'
  const ended = isByJob ? 'Signalbox' : `${end?.author ?? FORMER}${quote(end?.note ?? null)}`
  return `Started by ${author ?? FORMER}${quote(note)}, ended by ${ended}`
}

function quote(note: string | null): string {
  return note === null ? '' : ` (“${note}”)`
}
