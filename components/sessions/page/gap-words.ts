import type { Range } from './event-log.ts'

export interface GapFacts {
  /** All events up to this number are stored. */
  readonly contiguousSeq: number
  readonly status: 'running' | 'ended' | 'lost'
  readonly runtimeName: string | null
  readonly isRestored: boolean
}

export function gapWords({ from, to }: Range, facts: GapFacts): string {
  const range = from === to ? `#${from}` : `#${from}–#${to}`
  if (isStored({ to }, facts)) return `${range} missing, loading`
  if (facts.isRestored)
    return `${range} gone: the control plane was restored from a backup without them`
  const runtime = facts.runtimeName ?? 'its runtime'
  if (facts.status === 'lost') return `${range} lost: ${runtime} went offline before it sent them`
  if (facts.status === 'ended') return `${range} missing: ${runtime} never sent them`
  return `${range} missing: ${runtime} has not sent them yet`
}

export function isStored({ to }: Pick<Range, 'to'>, facts: GapFacts): boolean {
  return to <= facts.contiguousSeq
}
