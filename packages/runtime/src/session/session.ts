// A failure denies the call or blocks the stop; only after ten undecided stops in a row is a stop allowed.
import {
  type CompiledConfig,
  type ConfigDocument,
  type EnforcementLapse,
  type EventOf,
  type EventType,
  isPending,
  type JsonValue,
  type PlanStep,
  type SessionControlled,
  type SessionStarted,
  type SessionState,
  type UsageRecorded,
} from '@signalbox/core'
import { isNextOrder, replacesResult, withheldText } from '@signalbox/core/host'
import { describeError } from '../base/guardrail-error.ts'
import { redactedArgs } from '../facts/redact.ts'
import { CallPairing, type PairedBefore } from './call-pairing.ts'
import { deliverFeedback } from './feedback-delivery.ts'
import type { PastRun } from './past-run.ts'
import { PromptEvaluationError } from './prompt-evaluation-error.ts'
import { recordablePlan, recordableText } from './recordable.ts'
import type { ReadBack } from './recorded-session.ts'
import type {
  CallVerdict,
  ConfigOrigin,
  FinalVerification,
  FinishedCall,
  Replacement,
  SessionEnd,
  StopAnswer,
  StopAttempt,
  ToolCall,
  ToolCallResult,
} from './session-answers.ts'
import type { SessionLog } from './session-log.ts'
import { SessionOrder } from './session-order.ts'
import { settleOpen } from './session-resume.ts'
import type { ShadowFold } from './shadow-fold.ts'
import { LET_GO, type StopAttemptParts, StopAttempts, toOverride } from './stop-attempts.ts'
import { Tightening, type TighteningParts, type TighterVersion } from './tightening.ts'
import { type ToolCallParts, ToolCalls, undecided } from './tool-calls.ts'

export interface Pulse {
  beat(): void
}

export interface SessionParts extends ToolCallParts, StopAttemptParts, TighteningParts {
  /** Shadow version; null: there is none. */
  readonly shadow: ShadowFold | null
  /** Called before and after every tool call, for any harness; null: none. */
  readonly heartbeat: Pulse | null
  readonly onEnd: () => void
  /** Records of a resumed session; null: the session is new. */
  readonly before: ReadBack | null
}

/** Longest wait of an ending session for the last look-ups of its shadow version. */
const SHADOW_GRACE_MS = 250

/** Call it before and after every tool call, before a stop, and at the end. Methods may be called at any time and are processed sequentially. */
export class GuardedSession {
  readonly id: string
  readonly #parts: SessionParts
  readonly #log: SessionLog
  readonly #pairing: CallPairing
  readonly #order = new SessionOrder()
  readonly #calls: ToolCalls
  readonly #stops: StopAttempts
  readonly #tightening: Tightening
  readonly #over = new AbortController()
  /** Aborts when a person ended the session: no call waits for approval any longer. */
  readonly #halted = new AbortController()
  /** null: the session has not ended, or its end is recorded. */
  #unrecordedEnd: EventOf<'session.ended'>['data'] | null = null

  constructor(parts: SessionParts) {
    this.id = parts.id
    this.#parts = parts
    this.#log = parts.log
    this.#pairing = new CallPairing(pairedBefore(parts))
    this.#calls = new ToolCalls(parts, { over: this.#over.signal, halted: this.#halted.signal })
    this.#stops = new StopAttempts(parts, parts.before?.failedStops ?? 0)
    this.#tightening = new Tightening(parts)
    this.#listenToShadow()
  }

  /** The session keeps its config, and may only move to a stricter one. null: none is in force, and every call is denied. */
  get config(): ConfigDocument | null {
    return this.#log.config?.document ?? null
  }

  /** Compiled form of `config`, for core's analyses. */
  get compiled(): CompiledConfig | null {
    return this.#log.config
  }

  get state(): SessionState {
    return this.#log.state
  }

  /** Harness data from the log of a resumed session; null: the session began in this process. */
  get past(): PastRun | null {
    return this.#parts.before?.run ?? null
  }

  /** Call this before every tool call; the tool may run only if `allowed`. Waits if a rule requires approval, while other calls continue. Never rejects. */
  async beforeToolCall(call: ToolCall): Promise<CallVerdict> {
    const callId = call.callId || this.#pairing.begin(call.tool, call.args)
    this.#beat()
    const verdict = await this.#verdictOn(call, callId)
    if (!verdict.allowed) this.#pairing.close(callId)
    return verdict
  }

  async #verdictOn(call: ToolCall, callId: string): Promise<CallVerdict> {
    try {
      const asked = await this.#order.serially(() => this.#calls.request(call, callId))
      if (!('question' in asked)) return asked
      const outcome = await this.#calls.requestApproval(asked)
      return await this.#order.serially(() => this.#calls.settle(asked.call, callId, outcome))
    } catch (error) {
      this.#failed('call_not_decided', error)
      return undecided(call, callId)
    }
  }

  /**
   * Call this for every finished call, and give the model `replaced` instead of the result if there is one. If the result cannot be recorded, a
   * content rule that replaces results withholds it. Never rejects.
   */
  afterToolCall(result: ToolCallResult): Promise<FinishedCall> {
    const callId = result.callId || this.#pairing.end(result.tool, result.args)
    this.#pairing.close(callId)
    this.#beat()
    return this.#order
      .serially(() => this.#calls.finish(result, callId))
      .catch((error: unknown) => {
        this.#failed('result_not_recorded', error)
        if (isPending(this.state, callId)) this.#order.owe(this.#calls.lost(result, callId))
        return { feedback: null, replaced: this.#withheld(result) }
      })
  }

  /** Call this when the agent wants to stop; unless `allowed`, it must continue with `message`. Never rejects. */
  beforeStop(attempt: StopAttempt): Promise<StopAnswer> {
    return this.#order
      .serially(() => this.#stops.decide(attempt))
      .catch((error: unknown) => {
        this.#failed('stop_not_decided', error)
        const answer = this.#stops.undecided(attempt)
        if (answer.decision.verdict === 'bypassed') this.#owe('note', { text: LET_GO })
        return answer
      })
  }

  /** Records the start; called once, by the opener. While the disk refuses the record, every call is denied. */
  start(started: SessionStarted, origin: ConfigOrigin): void {
    this.#owe('session.started', started)
    if (origin.kind === 'none') {
      this.#owe('config.rejected', { reason: origin.reason })
    } else {
      const { digest, revision, note } = origin
      this.#owe('config.applied', { digest, ...(revision === null ? {} : { revision }) })
      if (note !== null) this.#owe('note', { text: note })
    }
    const { shadow } = this.#parts
    if (shadow !== null) this.#owe('shadow.started', shadow.identity)
    this.#begin()
  }

  /** Like `start`, for a resumed session: first records the events that its killed process did not write. */
  resume(before: ReadBack): void {
    settleOpen(before, {
      log: this.#log,
      owe: (work) => this.#order.owe(work),
      deliver: (effects) => void deliverFeedback(effects, { ...this.#parts, channel: 'none' }),
    })
    this.#begin()
  }

  #listenToShadow(): void {
    const { shadow } = this.#parts
    shadow?.listen({
      differed: (difference) => void this.#note('shadow.differed', difference),
      stopped: (reason) => {
        const text = recordableText(reason, this.#parts.redact)
        void this.#note('shadow.stopped', { ...shadow.identity, reason: text })
      },
    })
  }

  #begin(): void {
    try {
      this.#order.catchUp()
    } catch (error) {
      this.#failed('session_not_recorded', error)
    }
  }

  /** Moves only if the version is proven at least as strict; if not, reports the reason once. Never rejects: a failure leaves the session unchanged. */
  tighten(version: TighterVersion): Promise<void> {
    return this.#order
      .serially(async () => {
        if (!this.#isOver) this.#tightening.take(version)
      })
      .catch((error: unknown) => this.#failed('not_tightened', error))
  }

  /** Records an order whose signature was verified. Resolves with the reason why it was refused; null: it is recorded. Never rejects. */
  obey({ action, by, reason, counter }: SessionControlled): Promise<string | null> {
    return this.#order
      .serially(async () => {
        if (this.#isOver) return 'The session has ended.'
        if (!isNextOrder(this.state, { counter }))
          return 'The session took this order or a later one before, or was ended.'
        this.#log.record('session.controlled', { action, by, reason, counter })
        if (action === 'end') this.#halted.abort()
        return null
      })
      .catch((error: unknown) => {
        this.#failed('event_not_recorded', error)
        return describeError(error)
      })
  }

  async updatePlan(steps: readonly PlanStep[]): Promise<void> {
    const plan = this.#readPlan(steps)
    await this.#order
      .serially(async () => {
        this.#owe('plan.updated', { steps: plan })
        this.#order.catchUp()
      })
      .catch((error: unknown) => this.#failed('event_not_recorded', error))
  }

  #readPlan(steps: readonly PlanStep[]): readonly PlanStep[] {
    try {
      return recordablePlan(steps, this.#parts.redact)
    } catch (error) {
      this.#failed('plan_not_read', error)
      return [{ title: 'The plan could not be read.' }]
    }
  }

  recordUsage(usage: UsageRecorded): Promise<void> {
    return this.#note('usage.recorded', usage)
  }

  /** Switches the session to this prompt. Counts and cadences of other prompts are kept for their return. */
  promptRendered(prompt: string): Promise<void> {
    return this.#note('prompt.rendered', { prompt })
  }

  promptExecuted(prompt: string): Promise<void> {
    return this.#note('prompt.executed', { prompt })
  }

  leaseExtended(seconds: number): Promise<void> {
    return this.#note('lease.extended', { seconds })
  }

  leaseExpired(message: string): Promise<void> {
    return this.#note('lease.expired', { message })
  }

  /** Records that the harness continued without a decision, or might have. The console shows the session as not fully enforced. */
  enforcementLapsed(lapse: EnforcementLapse): Promise<void> {
    return this.#note('enforcement.lapsed', lapse)
  }

  /** Records that the agent stopped although no one judged the stop. */
  completionOverridden(cause: string): Promise<void> {
    return this.#overridden({ cause: recordableText(cause, this.#parts.redact) })
  }

  note(text: string): Promise<void> {
    return this.#note('note', { text: recordableText(text, this.#parts.redact) })
  }

  /**
   * Ends the session; later calls are refused. Idempotent; a repetition records an end that the disk refused. Verifies a completed run again: the answer states whether its output is
   * complete. Rejects only with PromptEvaluationError, after everything is recorded, if the config has `final_verification: "error"` and an
   * output was given although the task is not complete.
   */
  async end(ended: SessionEnd): Promise<FinalVerification> {
    if (this.#isOver) {
      await this.#recordEnd()
      return null
    }
    this.#over.abort()
    const output = ended.output === undefined ? {} : { output: await this.#safely(ended.output) }
    const verification = ended.reason === 'completed' ? await this.#verify(output) : null
    const override = output.output === undefined ? null : toOverride(verification)
    if (override !== null) await this.#overridden(override)
    await this.#parts.shadow?.settled(SHADOW_GRACE_MS)
    const { reason, error } = ended
    const failure = error === undefined ? {} : { error: await this.#safeText(error) }
    this.#unrecordedEnd = { reason, ...output, ...failure }
    await this.#recordEnd()
    this.#parts.onEnd()
    const { config } = this.#log
    if (override !== null && config?.document.final_verification === 'error') {
      const { promptName } = config
      throw new PromptEvaluationError(override.cause, { promptName, phase: 'response' })
    }
    return verification
  }

  async #recordEnd(): Promise<void> {
    await this.#order
      .serially(async () => {
        if (this.#unrecordedEnd === null) return
        this.#log.record('session.ended', this.#unrecordedEnd)
        this.#unrecordedEnd = null
      })
      .catch((error: unknown) => this.#failed('event_not_recorded', error))
  }

  async #verify(output: { readonly output?: JsonValue }): Promise<FinalVerification> {
    const checked = (this.#log.config?.checker ?? null) !== null
    return checked ? this.beforeStop({ via: 'final', ...output }) : null
  }

  async #overridden(override: EventOf<'completion.overridden'>['data']): Promise<void> {
    await this.#note('completion.overridden', override)
    this.#parts.report({
      level: 'warning',
      code: 'completion_overridden',
      message: `The session ended although its task is not known to be complete: ${override.cause}`,
    })
  }

  /** The model must not read what no rule could check. */
  #withheld({ tool, error }: ToolCallResult): Replacement | null {
    const { config } = this.#log
    const rules = config?.rulesFor(config.canonicalTool(tool)).content.result ?? []
    const rule = rules.find(replacesResult)
    if (rule === undefined) return null
    const text = withheldText(rule.document.kind)
    return error === undefined ? { output: text } : { output: text, error: text }
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted
  }

  #beat(): void {
    try {
      this.#parts.heartbeat?.beat()
    } catch (error) {
      this.#failed('beat_failed', error)
    }
  }

  async #safeText(text: string): Promise<string> {
    return recordableText(await this.#parts.content.scrub(text), this.#parts.redact)
  }

  async #safely(value: unknown): Promise<JsonValue> {
    try {
      return this.#parts.redact(await this.#parts.content.scrub(value))
    } catch (error) {
      this.#failed('value_not_recorded', error)
      return null
    }
  }

  #failed(code: string, error: unknown): void {
    this.#parts.report({ level: 'error', code, message: describeError(error) })
  }

  #owe<Type extends EventType>(type: Type, data: EventOf<Type>['data']): void {
    this.#order.owe(() => void this.#log.record(type, data))
  }

  async #note<Type extends EventType>(type: Type, data: EventOf<Type>['data']): Promise<void> {
    await this.#order
      .serially(async () => this.#log.record(type, data))
      .catch((error: unknown) => this.#failed('event_not_recorded', error))
  }
}

function pairedBefore({ before, redact }: SessionParts): PairedBefore | null {
  if (before === null) return null
  const open = before.running.map(({ call_id: callId, tool, args }) => ({ callId, tool, args }))
  return { open, callIds: before.callIds, recorded: (args) => redactedArgs(redact, args) }
}
