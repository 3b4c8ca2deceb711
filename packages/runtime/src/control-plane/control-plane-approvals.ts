// The request is an event, which the uploader sends. Lost connections and restarts of the server are retried for a limited time.
import { omitUndefined } from '@signalbox/core'
import {
  type AwaitAnswerRequest,
  type AwaitAnswerResponse,
  computeDigest,
  LONGEST_HOLD_MS,
  openCallAnswer,
} from '@signalbox/wire'
import { backoffMs } from '../base/backoff.ts'
import { GuardrailError } from '../base/guardrail-error.ts'
import { awaitedSleep } from '../base/sleep.ts'
import type { ApprovalAnswer, ApprovalSource, PendingCall } from '../facts/approvals.ts'
import type { DataPlane, Failure } from './data-plane.ts'

export interface ControlPlaneApprovalsParts {
  readonly plane: Pick<DataPlane, 'awaitAnswer'>
  readonly signingKeys: () => readonly string[]
  readonly now: () => number
}

/** Longest time without contact before the control plane counts as unavailable. For a short request, half of its time. */
const AWAY_MS = 60_000
/** Longest pause between attempts, so that a failed request does not delay a reviewer's answer for long. */
const LONGEST_PAUSE_MS = 2000
const QUICK_MS = 500
const UNBELIEVED =
  'The answer is not signed by a key that this runtime trusts, or is about another call.'

type Heard =
  | { readonly kind: 'answer'; readonly answer: ApprovalAnswer }
  | { readonly kind: 'nothing' }
  /** The request may be retried. */
  | { readonly kind: 'trouble'; readonly why: string; readonly afterMs?: number }

/** `decide` rejects with the reason if the control plane is unreachable for too long, refuses the request, or closed it. */
export function controlPlaneApprovals(parts: ControlPlaneApprovalsParts): ApprovalSource {
  return { decide: (call, signal) => untilAnswered(parts, call, signal) }
}

async function untilAnswered(
  parts: ControlPlaneApprovalsParts,
  call: PendingCall,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const end = parts.now() + call.timeLeftMs
  const patienceMs = Math.min(AWAY_MS, call.timeLeftMs / 2)
  let awaySince: number | null = null
  for (let attempt = 1; !signal.aborted; attempt++) {
    const asked = performance.now()
    const heard = await ask(parts, toQuestion(call, end - parts.now()), signal)
    if (heard.kind === 'answer') return heard.answer
    if (heard.kind === 'nothing') {
      awaySince = null
      attempt = 0
      // A server that answers at once instead of holding the request is not asked again immediately.
      if (performance.now() - asked < QUICK_MS) await awaitedSleep(QUICK_MS, signal)
      continue
    }
    awaySince ??= parts.now()
    if (parts.now() - awaySince >= patienceMs) throw toUnavailable(heard.why)
    const pause = heard.afterMs ?? backoffMs(attempt, Math.random())
    await awaitedSleep(Math.min(pause, LONGEST_PAUSE_MS), signal)
  }
  throw toUnavailable('The time limit has passed.')
}

function toQuestion(call: PendingCall, leftMs: number): AwaitAnswerRequest {
  const time_left_ms = Math.max(0, Math.round(leftMs))
  return {
    session: call.session,
    seq: call.seq,
    call_id: call.callId,
    tool: call.tool,
    input: computeDigest(call.args),
    time_left_ms,
    hold_ms: Math.min(LONGEST_HOLD_MS, time_left_ms),
  }
}

async function ask(
  { plane, signingKeys }: ControlPlaneApprovalsParts,
  question: AwaitAnswerRequest,
  signal: AbortSignal,
): Promise<Heard> {
  const answer = await plane.awaitAnswer(question, signal)
  if (!answer.ok) return toTrouble(answer)
  const { state, detail } = answer.value
  switch (state) {
    case 'waiting':
      return { kind: 'nothing' }
    case 'closed':
      throw toUnavailable(detail ?? 'The request is closed.')
    case 'answered':
      return opened(answer.value, question, signingKeys())
    default:
      return state satisfies never
  }
}

function opened(
  { text = '', signature = '' }: AwaitAnswerResponse,
  question: AwaitAnswerRequest,
  keys: readonly string[],
): Heard {
  const answer = openCallAnswer({ text, signature }, question, keys)
  // The signing key may have changed a moment ago, and become known before the next attempt.
  if (answer === null) return { kind: 'trouble', why: UNBELIEVED }
  const { decision, by, note } = answer
  return {
    kind: 'answer',
    answer: { decision, by, ...omitUndefined({ note }) },
  }
}

function toTrouble({ kind, detail, retryAfterMs }: Failure): Heard {
  if (kind !== 'retry') throw toUnavailable(`The control plane refused the request: ${detail}`)
  const why = `The control plane could not be reached: ${detail}`
  return { kind: 'trouble', why, ...omitUndefined({ afterMs: retryAfterMs }) }
}

function toUnavailable(why: string): GuardrailError {
  return new GuardrailError('approval_unavailable', why)
}
