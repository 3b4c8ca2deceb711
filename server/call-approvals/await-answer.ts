// The request for approval is an event that may arrive after the runtime's HTTP request. Any replica may hold that request: a notification
// wakes it, for a decision on any replica (specs/call-approvals.md).
import {
  type AwaitAnswerRequest,
  type AwaitAnswerResponse,
  type CallAnswerV1,
  signCallAnswer,
  toApprovalId,
} from '@signalbox/wire'
import { activePair } from '@/server/bundles/signing-seed.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify, onNotification } from '@/server/platform/live/live-bus.ts'
import { type AskedCall, findAskedCall, recordAsked } from './call-approvals.sql.ts'

/** A notification is lost when the listening connection is, so the row is read again at this interval. */
const LOOK_AGAIN_MS = 2_000

/** Resolves immediately if there is an answer, or else after at most `hold_ms`. `signal`: the client no longer waits. */
export async function awaitAnswer(
  scope: KeyScope,
  question: AwaitAnswerRequest,
  signal: AbortSignal,
): Promise<AwaitAnswerResponse> {
  const { projectId, environment } = scope
  const id = toApprovalId(question.session, question.seq)
  const where = { id, projectId, environment }
  const until = Date.now() + question.hold_ms
  const news = wakeable()
  const stop = onNotification(projectId, (notification) => {
    if (
      notification.kind === 'approval' &&
      (notification.id === undefined || notification.id === id)
    )
      news.wake()
  })
  signal.addEventListener('abort', news.wake, { once: true })
  let isNoted = false
  try {
    for (;;) {
      const next = news.next()
      const call = await findAskedCall(reader(), where)
      const answer = call === null ? null : await answerTo(call, question, projectId)
      if (answer !== null) return answer
      if (call !== null && !isNoted) {
        isNoted = true
        const isFirst = call.askedAt === null
        await recordAsked(reader(), where, { leftMs: question.time_left_ms, isFirst })
        // Makes the queue show that a runtime waits.
        if (isFirst) await notify(reader(), { project: projectId, kind: 'approval', id })
      }
      const left = until - Date.now()
      if (left <= 0 || signal.aborted) return { state: 'waiting' }
      await Promise.race([next, pause(Math.min(left, LOOK_AGAIN_MS))])
    }
  } finally {
    signal.removeEventListener('abort', news.wake)
    stop()
  }
}

/** Null: no answer yet. */
async function answerTo(
  call: AskedCall,
  question: AwaitAnswerRequest,
  projectId: AuthorizedProjectId,
): Promise<AwaitAnswerResponse | null> {
  if (call.callId !== question.call_id || call.tool !== question.tool) {
    return closed('The log has another call under this number.')
  }
  const decided = toDecidedAnswer(call)
  if (decided === null)
    return call.outcome === null ? null : closed(`The log records ${call.outcome}.`)
  if (decided.input !== question.input) {
    return closed('The arguments that were shown to the reviewer are not those of this call.')
  }
  // An answer that did not arrive is repeated; the log accepts one answer per call.
  const { session, seq, call_id, tool } = question
  const signed: CallAnswerV1 = { call_answer_version: 1, session, seq, call_id, tool, ...decided }
  return { state: 'answered', ...signCallAnswer(signed, (await activePair(projectId)).seed) }
}

type Decided = Pick<CallAnswerV1, 'input' | 'decision' | 'by' | 'note' | 'at'>

function toDecidedAnswer({
  decision,
  decidedName,
  decidedAt,
  note,
  inputDigest,
}: AskedCall): Decided | null {
  if (decision !== 'approved' && decision !== 'denied') return null
  if (decidedAt === null || inputDigest === null) return null
  return {
    input: inputDigest,
    decision,
    by: decidedName ?? 'a former member',
    at: decidedAt.getTime(),
    ...(note === null ? {} : { note }),
  }
}

function closed(detail: string): AwaitAnswerResponse {
  return { state: 'closed', detail }
}

function wakeable(): { readonly next: () => Promise<void>; readonly wake: () => void } {
  let waiting: (() => void) | null = null
  return {
    next: () =>
      new Promise((resolve) => {
        waiting = resolve
      }),
    wake: () => waiting?.(),
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
