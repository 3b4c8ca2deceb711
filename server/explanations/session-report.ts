// Lists are limited and say so (specs/explanations.md).
import { countText } from '@signalbox/core/analysis'
import { eventHash } from '@signalbox/wire'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { toLoggedEvent } from '@/server/sessions/log/logged-event.ts'
import { findLogPlace, type LogPlace, readLogAt } from '@/server/sessions/log/session-log.sql.ts'
import { loadLastPlan, type PlanUpdate } from '@/server/sessions/session-contents.sql.ts'
import { findSessionHead, type SessionHead } from '@/server/sessions/session-head.sql.ts'
import { recomputedText } from './report-parts.ts'
import {
  countFeedback,
  countTakenOut,
  countVerdicts,
  type FeedbackCount,
  MOST_PROVIDERS,
  type ReportedVerdict,
  readVerdicts,
  type TakenOutCount,
  type VerdictCount,
} from './session-report-facts.sql.ts'

/** The newest event with no gap before it. It contains the hash of the previous event, and so vouches for all earlier ones. */
export interface VouchingEvent {
  readonly seq: number
  readonly hash: string
  /** The stored event still has that hash. */
  readonly isIntact: boolean
}

export interface SessionReport {
  readonly generatedAt: number
  readonly session: SessionHead
  readonly counts: readonly VerdictCount[]
  /** Number of all verdicts, of which `verdicts` has the first. */
  readonly verdictTotal: number
  readonly verdicts: readonly ReportedVerdict[]
  readonly feedback: readonly FeedbackCount[]
  readonly isFeedbackCut: boolean
  /** Null: the agent made none, or it is no longer stored. */
  readonly plan: PlanUpdate | null
  readonly takenOut: readonly TakenOutCount[]
  /** Null: the events are no longer stored. */
  readonly record: VouchingEvent | null
  /** Returns text such as `17 blocked, 1 allowed; final verification blocked`. */
  readonly stops: string
  readonly verification: string
}

async function vouchingEvent(place: LogPlace): Promise<VouchingEvent | null> {
  const [row] = await readLogAt(place, [place.contiguousSeq])
  if (row === undefined) return null
  const { seq, hash } = row
  return { seq, hash, isIntact: eventHash(toLoggedEvent(place.sessionId, row)) === hash }
}

function verificationText(session: SessionHead, record: VouchingEvent | null): string {
  const { contiguousSeq, maxSeq, removed } = session
  const digest =
    record === null
      ? removed === null
        ? 'The first event is not stored.'
        : 'The events are no longer stored, so their digest cannot be compared.'
      : `Digest sha256:${record.hash} of event #${record.seq}, which vouches for all before it, ${record.isIntact ? 'matches' : 'DOES NOT MATCH'} the stored record.`
  const missing =
    maxSeq > contiguousSeq ? ` Events between #${contiguousSeq} and #${maxSeq} are missing.` : ''
  return `${digest}${missing} ${recomputedText(session)}`
}

const STOP_WORD: Readonly<Record<string, string>> = { no_checker: 'without a checker' }

function stopsText(counts: readonly VerdictCount[]): string {
  const word = (verdict: string): string => STOP_WORD[verdict] ?? verdict
  const told = counts
    .filter(({ kind }) => kind === 'stop')
    .map(({ verdict, count }) => `${countText(count)} ${word(verdict)}`)
  const last = counts.find(({ kind }) => kind === 'final')
  const ended = last === undefined ? '' : `; final verification ${word(last.verdict)}`
  return `${told.length === 0 ? 'none' : told.join(', ')}${ended}`
}

const REFUSING: ReadonlySet<string> = new Set(['denied', 'error', 'blocked', 'bypassed'])

/** Rejects with `not_found` when the project has no such session. `now` in epoch ms. */
export async function sessionReport(
  { projectId }: ProjectScope,
  sessionId: string,
  now: number,
): Promise<SessionReport> {
  const [session, place] = await Promise.all([
    findSessionHead(projectId, sessionId),
    findLogPlace(projectId, sessionId),
  ])
  if (session === null || place === null) {
    throw new ServiceError('not_found', `There is no session ${sessionId}.`)
  }
  const [counts, verdicts, feedback, plan, takenOut, record] = await Promise.all([
    countVerdicts(projectId, sessionId),
    readVerdicts(projectId, sessionId),
    countFeedback(place),
    loadLastPlan(place),
    countTakenOut(place),
    vouchingEvent(place),
  ])
  const verdictTotal = counts
    .filter(({ verdict }) => REFUSING.has(verdict))
    .reduce((sum, { count }) => sum + count, 0)
  return {
    generatedAt: now,
    session,
    counts,
    verdictTotal,
    verdicts,
    plan,
    takenOut,
    record,
    feedback: feedback.slice(0, MOST_PROVIDERS),
    isFeedbackCut: feedback.length > MOST_PROVIDERS,
    stops: stopsText(counts),
    verification: verificationText(session, record),
  }
}
