// Headline of a stop explanation for every way in which a stop can end. Pure.
import type { CheckStatus } from '@signalbox/core'
import type { Status } from '@/components/ui/status-badge.tsx'
import type { StopFacts } from '@/server/explanations/stop-list.sql.ts'

export interface Headline {
  readonly status: Status
  readonly word: string
  readonly sentence: string
}

const BADGE = {
  allowed: { status: 'allowed', word: 'Stop allowed' },
  blocked: { status: 'blocked', word: 'Stop blocked' },
  bypassed: { status: 'bypassed', word: 'Stop bypassed' },
  no_checker: { status: 'no_checker', word: 'No checker' },
  error: { status: 'error', word: 'Error, stop blocked' },
} as const satisfies Record<StopFacts['verdict'], Omit<Headline, 'sentence'>>

/** Codes of stops that were allowed without any check. */
const VACUOUS: ReadonlySet<string> = new Set(['plan.none', 'composite.empty', 'judge.unavailable'])

const WOULD_BLOCK = { status: 'caution', word: 'Would block' } as const

/** The final verification blocks nothing, because the run is over. */
const NOT_COMPLETE = { status: 'bypassed', word: 'Incomplete' } as const

const NOTHING_CHECKED = { status: 'nothing_to_check', word: 'Allowed, nothing to check' } as const

/** Absent `via`: a group of the agent's own stops. */
type StopHead = Pick<StopFacts, 'verdict' | 'code' | 'reason'> & Partial<Pick<StopFacts, 'via'>>

/** `checked`: result of the root check. Lists do not load it; the headline then follows from the reason code. */
export function stopHeadline(
  { verdict, code, reason, via }: StopHead,
  checked?: CheckStatus | null,
): Headline {
  if (verdict === 'allowed' && (checked === 'nothing_to_check' || VACUOUS.has(code))) {
    const sentence =
      code === 'composite.all_passed' ? 'Allowed: every check had nothing to check' : reason
    return { ...NOTHING_CHECKED, sentence }
  }
  if (code === 'stop.would_block') return { ...WOULD_BLOCK, sentence: reason }
  if (verdict === 'blocked' && via === 'final') return { ...NOT_COMPLETE, sentence: reason }
  const isCauseOnly = verdict === 'error' && !reason.endsWith('could not be evaluated')
  const sentence = isCauseOnly ? `A check could not be evaluated: ${reason}` : reason
  return { ...BADGE[verdict], sentence }
}

const VIA: { readonly [via: string]: string } = {
  turn_end: 'end of turn',
  structured_output: 'structured output',
  subagent_end: 'end of a sub-agent',
  final: 'final verification',
}

/** Labels a stop within its session: the final verification is no attempt of the agent. */
export function attemptText({ via, attempt }: Pick<StopFacts, 'via' | 'attempt'>): string {
  return via === 'final' ? 'Final verification' : `Attempt ${attempt}`
}

export function viaText(via: string): string {
  return VIA[via] ?? via
}
