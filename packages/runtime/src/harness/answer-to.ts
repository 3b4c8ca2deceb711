import type { FinishedCall } from '../session/session-answers.ts'
import type { HarnessSession } from './harness-session.ts'
import type { HookAnswer, HookEvent } from './hook-harness.ts'

const PASS = { kind: 'pass' } as const satisfies HookAnswer

/** Answers one hook event for one session; the end of the session is left to its owner. Never rejects. */
export async function answerTo(
  session: HarnessSession,
  event: Exclude<HookEvent, { readonly kind: 'session_ended' }>,
): Promise<HookAnswer> {
  switch (event.kind) {
    case 'session_started':
    case 'other':
      return PASS
    case 'run_started':
      session.runStarted()
      return PASS
    case 'output_accepted':
      await session.outputAccepted(event.output)
      return PASS
    case 'tool_requested': {
      const verdict = await session.before(event.call)
      if (!verdict.allowed) return { kind: 'deny', reason: verdict.text }
      return verdict.input === undefined ? PASS : { kind: 'pass', input: verdict.input }
    }
    case 'tool_finished':
      return toFinishedAnswer(await session.finish(event.result))
    case 'batch_finished':
      return toFeedbackAnswer(await session.settle(event.results))
    case 'stop_attempted': {
      const answer = await session.stop(event.attempt)
      return answer.allowed ? PASS : { kind: 'block', message: answer.message }
    }
    default:
      return event satisfies never
  }
}

function toFinishedAnswer({ feedback, replaced }: FinishedCall): HookAnswer {
  return { ...toFeedbackAnswer(feedback), ...(replaced === null ? {} : { replaced }) }
}

function toFeedbackAnswer(text: string | null) {
  return text === null ? PASS : ({ kind: 'feedback', text } as const)
}
