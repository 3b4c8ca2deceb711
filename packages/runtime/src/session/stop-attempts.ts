import { type EventOf, omitUndefined, type StopDecision, TASKS_INCOMPLETE } from '@signalbox/core'
import type { Redact } from '@signalbox/wire'
import type { ContentGuard } from './content-guard.ts'
import { recordableReason, recordableText } from './recordable.ts'
import type { FinalVerification, StopAnswer, StopAttempt } from './session-answers.ts'
import type { SessionLog } from './session-log.ts'

export interface StopAttemptParts {
  readonly log: SessionLog
  readonly refusal: string
  readonly redact: Redact
  readonly content: ContentGuard
}

/** Number of consecutive undecided stops that are refused. The next one is allowed, so that a defect cannot trap an agent forever. */
const MAX_FAILED = 10

export const LET_GO = `A stop was allowed although nothing could be checked: the ${MAX_FAILED} before it could not be decided either.`

export class StopAttempts {
  readonly #parts: StopAttemptParts
  #failed: number

  /** `failed`: consecutive stops without a decision in a resumed session. */
  constructor(parts: StopAttemptParts, failed: number) {
    this.#parts = parts
    this.#failed = failed
  }

  async decide(attempt: StopAttempt): Promise<StopAnswer> {
    const { log, redact, refusal, content } = this.#parts
    const { via, stopReason, lastMessage, output, agent, harnessMaxBlocks } = attempt
    const effects = await log.ask('stop.attempted', {
      via,
      ...recordableReason(stopReason, redact),
      ...omitUndefined({
        last_message:
          lastMessage === undefined
            ? undefined
            : recordableText(await content.scrub(lastMessage), redact),
        output: output === undefined ? undefined : redact(await content.scrub(output)),
        harness_max_blocks: harnessMaxBlocks,
        agent,
      }),
    })
    const effect = effects.find((candidate) => candidate.kind === 'stop.decided')
    if (log.config === null || effect === undefined) {
      const { decision } = this.undecided(attempt)
      log.record('stop.decided', { ...decision, params: { ...decision.params, reason: refusal } })
      return toStopAnswer(decision)
    }
    log.record('stop.decided', effect.data)
    this.#failed = 0
    return toStopAnswer(effect.data)
  }

  /** Answer without a verdict of core. Without a config there is nothing to complete; with one, the agent must continue, up to a limit. */
  undecided({ via }: StopAttempt): StopAnswer {
    this.#failed += 1
    const base = {
      attempt: this.#failed,
      prior_blocks: this.#failed - 1,
      params: {},
      check: null,
    }
    if (this.#parts.log.config === null)
      return toStopAnswer({ ...base, verdict: 'no_checker', code: 'stop.no_config', message: null })
    // The verification after the run traps no agent, so it never allows an undecided stop: the result is not complete.
    if (via !== 'final' && this.#failed > MAX_FAILED)
      return toStopAnswer({
        ...base,
        verdict: 'bypassed',
        bypass: 'max_blocks',
        code: 'stop.undecided_often',
        params: { limit: MAX_FAILED },
        message: null,
      })
    return toStopAnswer({
      ...base,
      verdict: 'error',
      code: 'stop.not_decided',
      message: 'Whether the task is complete could not be checked. Try to finish again.',
    })
  }
}

/** Record of an output given with an incomplete task; null: the task is complete, or was not checked. */
export function toOverride(
  verification: FinalVerification,
): EventOf<'completion.overridden'>['data'] | null {
  if (verification === null || verification.allowed) return null
  const { attempt } = verification.decision
  return { cause: verification.message, attempt }
}

function toStopAnswer(decision: StopDecision): StopAnswer {
  const isRefused = decision.verdict === 'blocked' || decision.verdict === 'error'
  const { message } = decision
  return isRefused
    ? { allowed: false, message: message ?? TASKS_INCOMPLETE, decision }
    : { allowed: true, message, decision }
}
