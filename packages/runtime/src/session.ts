// One session: asks core, records what it asked and what core answered, and gives the answer to the harness. Calls are
// serialised. Whatever fails in here refuses the call; nothing fails open.
import {
  type ApprovalRequest,
  type ConfigDocument,
  type Effect,
  type EnforcementLapse,
  type EventOf,
  type EventType,
  type FeedbackDelivery,
  isPending,
  type JsonObject,
  type JsonValue,
  type PlanStep,
  renderFeedback,
  renderFeedbackPlain,
  type SessionStarted,
  type SessionState,
  type StopDecision,
  type ToolDecision,
  type UsageRecorded,
} from '@signalbox/core'
import { compareStrictness, looserWords, type StrictnessNote } from '@signalbox/core/tighten'
import { type ApprovalOutcome, type ApprovalSource, awaitApproval } from './approvals.ts'
import { CallPairing, type PairedBefore } from './call-pairing.ts'
import type { OnDiagnostic } from './diagnostic.ts'
import { messageOf } from './guardrail-error.ts'
import type { PastRun } from './past-run.ts'
import { PromptEvaluationError } from './prompt-evaluation-error.ts'
import { recordablePlan, recordableReason, recordableText } from './recordable.ts'
import type { ReadBack } from './recorded-session.ts'
import { type Redact, redactedArgs } from './redact.ts'
import type {
  CallVerdict,
  ConfigOrigin,
  FeedbackChannel,
  FinalVerification,
  SessionEnd,
  StopAnswer,
  StopAttempt,
  ToolCall,
  ToolCallResult,
} from './session-answers.ts'
import type { Judging, SessionLog } from './session-log.ts'
import { settleOpen } from './session-resume.ts'
import type { ShadowFold } from './shadow-fold.ts'

/** Whoever wants to know that work goes on; a Heartbeat does. */
export interface Pulse {
  beat(): void
}

/** A version that running sessions are asked to take over. */
interface TighterVersion extends Judging {
  readonly digest: string
  /** null: not published. */
  readonly version: number | null
  readonly revision: number | null
}

export interface SessionParts {
  readonly id: string
  /** What a call is refused with where no config could be applied. */
  readonly refusal: string
  readonly log: SessionLog
  /** The version that is judged beside; null: none is. */
  readonly shadow: ShadowFold | null
  readonly redact: Redact
  /** null: nobody can be asked, so calls that need approval are denied. */
  readonly approvals: ApprovalSource | null
  /** The longest that a call may wait for a person in this harness, milliseconds; null: no limit. */
  readonly approvalLimitMs: number | null
  readonly now: () => number
  readonly report: OnDiagnostic
  /** How feedback reaches this harness's agent. */
  readonly channel: FeedbackChannel
  /** This harness escapes markup, so feedback comes without any. */
  readonly plainFeedback: boolean
  /** Told before and after every tool call, whatever the harness; null: nobody is. */
  readonly heartbeat: Pulse | null
  readonly onEnd: () => void
  /** Keeps a version before the session takes it over, so that it can go on under it; what it throws leaves the session as it is. */
  readonly keep: (config: ConfigDocument) => void
  /** What a session that goes on had recorded; null: it begins. */
  readonly before: ReadBack | null
}

/** So many stops in a row that could not be decided are refused; the next one is let go, so that a defect cannot trap an agent for ever. */
const MAX_FAILED_STOPS = 10
/** An ending session waits this long for the last look-ups of its shadow version. */
const SHADOW_GRACE_MS = 250
const LET_GO = `A stop was let go although nothing could be checked: the ${MAX_FAILED_STOPS} before it could not be decided either.`
const ENDED = 'The session has ended.'
const NOT_DECIDED = 'The guardrails could not decide this call, so it is denied.'

/**
 * The guardrails of one session, for any agent loop: ask before a call and before a stop, tell after a call, end it. Opened by
 * `Guardrails.openSession`; methods may be called at any time and are judged one after the other.
 */
export class GuardedSession {
  readonly id: string
  readonly #parts: SessionParts
  readonly #log: SessionLog
  readonly #pairing: CallPairing
  /** Aborted at the end: nobody waits for an approval of an ended session. */
  readonly #over = new AbortController()
  #queue: Promise<unknown> = Promise.resolve()
  /** What must be recorded before anything else, in this order: the disk may have refused it when it was due. */
  readonly #owed: (() => void)[] = []
  #failedStops = 0
  #ended = false
  /** Digests of versions that it was asked to take over and that are looser. */
  readonly #declined = new Set<string>()

  constructor(parts: SessionParts) {
    this.id = parts.id
    this.#parts = parts
    this.#log = parts.log
    this.#pairing = new CallPairing(pairedBefore(parts))
    this.#failedStops = parts.before?.failedStops ?? 0
    this.#listenToShadow()
  }

  /**
   * The config in force: the session keeps that of its beginning, and may only be tightened while it runs. null: none is in force, and
   * every call is denied.
   */
  get config(): ConfigDocument | null {
    return this.#log.config?.document ?? null
  }

  /** What core remembers now; JSON by core's snapshotState. */
  get state(): SessionState {
    return this.#log.state
  }

  /** What the log said of the harness when the session went on; null: it began in this process. */
  get past(): PastRun | null {
    return this.#parts.before?.run ?? null
  }

  /**
   * Must be asked before every tool call; the tool may run only when `allowed`. Waits for a person when a rule asks for approval;
   * other calls go on meanwhile. Never rejects.
   */
  async beforeToolCall(call: ToolCall): Promise<CallVerdict> {
    const callId = call.callId || this.#pairing.begin(call.tool, call.args)
    this.#beat()
    const verdict = await this.#verdictOn(call, callId)
    if (!verdict.allowed) this.#pairing.close(callId)
    return verdict
  }

  async #verdictOn(call: ToolCall, callId: string): Promise<CallVerdict> {
    try {
      const asked = await this.#serially(() => this.#request(call, callId))
      if (!('question' in asked)) return asked
      const outcome = await this.#approvalOf(asked)
      return await this.#serially(() => this.#settle(call, callId, outcome))
    } catch (error) {
      this.#failed('call_not_decided', error)
      return refused(call.tool, callId, NOT_DECIDED)
    }
  }

  /** Must be told of every finished call. Gives the feedback for the agent, null when there is none. Never rejects. */
  afterToolCall(result: ToolCallResult): Promise<{ readonly feedback: string | null }> {
    const callId = result.callId || this.#pairing.end(result.tool, result.args)
    this.#pairing.close(callId)
    this.#beat()
    return this.#serially(() => this.#finishCall(result, callId)).catch((error: unknown) => {
      this.#failed('result_not_recorded', error)
      this.#oweResult(result, callId)
      return { feedback: null }
    })
  }

  /** Must be asked when the agent wants to stop; it must continue with `message` unless `allowed`. Never rejects. */
  beforeStop(attempt: StopAttempt): Promise<StopAnswer> {
    return this.#serially(() => this.#decideStop(attempt)).catch((error: unknown) => {
      this.#failed('stop_not_decided', error)
      const answer = this.#stopWithoutDecision(attempt)
      if (answer.decision.verdict === 'bypassed') this.#owe('note', { text: LET_GO })
      return answer
    })
  }

  /** Records the beginning; called once, by the opener. While the disk refuses it, every call is denied. */
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

  /**
   * Takes the version over between two events, where it is proven to be at least as strict as the session's own; else says once why it
   * does not. Never rejects: whatever fails leaves the session as it is.
   */
  tighten(version: TighterVersion): Promise<void> {
    return this.#serially(async () => this.#take(version)).catch((error: unknown) =>
      this.#failed('not_tightened', error),
    )
  }

  #take({ digest, version, revision, ...judging }: TighterVersion): void {
    const { config } = this.#log
    if (this.#ended || config === null || this.#declined.has(digest)) return
    if (digest === this.#log.digest) return
    const compared = compareStrictness(config.document, judging.config.document)
    if (!compared.stricter) {
      const named = version === null ? 'a version' : `v${version}`
      const words = `${named} ${looserWords(compared.looser)}`
      this.#decline(digest, `Keeps its version: ${words}. ${reasonsOf(compared.looser)}`)
      return
    }
    this.#parts.keep(judging.config.document)
    this.#log.take(judging, { digest, ...(revision === null ? {} : { revision }) })
  }

  #decline(digest: string, text: string): void {
    this.#log.record('note', { text })
    this.#declined.add(digest)
    this.#parts.report({ level: 'warning', code: 'not_tightened', message: text })
  }

  /** As `start`, for a session that goes on: records first what its killed process still owed. */
  resume(before: ReadBack): void {
    settleOpen(before, {
      log: this.#log,
      owe: (work) => void this.#owed.push(work),
      deliver: (effects) => void this.#deliver(effects, 'none'),
    })
    this.#begin()
  }

  /** What the shadow finds is recorded between two requests; nobody waits for it. */
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
      this.#catchUp()
    } catch (error) {
      this.#failed('session_not_recorded', error)
    }
  }

  #owe<Type extends EventType>(type: Type, data: EventOf<Type>['data']): void {
    this.#owed.push(() => void this.#log.record(type, data))
  }

  /** Throws while something that is owed cannot be recorded. */
  #catchUp(): void {
    for (let next = this.#owed[0]; next !== undefined; next = this.#owed[0]) {
      next()
      this.#owed.shift()
    }
  }

  /** A call whose end is lost ended somehow: whatever relied on its last result must not go on to. */
  #oweResult({ tool, agent }: ToolCallResult, callId: string): void {
    if (!isPending(this.state, callId)) return
    const lost = {
      call_id: callId,
      tool,
      outcome: 'unknown' as const,
      error: 'The result could not be recorded.',
      ...(agent === undefined ? {} : { agent }),
    }
    this.#owed.push(() => {
      const effects = this.#log.record('tool.invoked', lost)
      this.#deliver(effects, 'none')
    })
  }

  /** The agent's whole plan, replacing the last one. */
  async updatePlan(steps: readonly PlanStep[]): Promise<void> {
    const plan = this.#planOf(steps)
    await this.#serially(async () => {
      this.#owe('plan.updated', { steps: plan })
      this.#catchUp()
    }).catch((error: unknown) => this.#failed('event_not_recorded', error))
  }

  #planOf(steps: readonly PlanStep[]): readonly PlanStep[] {
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

  /** The session works on this prompt from now on; counts and cadences of another are kept for its return. */
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

  /** The harness went on without a decision, or may have; the console shows the session as not fully enforced. */
  enforcementLapsed(lapse: EnforcementLapse): Promise<void> {
    return this.#note('enforcement.lapsed', lapse)
  }

  note(text: string): Promise<void> {
    return this.#note('note', { text: recordableText(text, this.#parts.redact) })
  }

  /**
   * Ends the session; later calls are refused. Idempotent. A completed run is verified once more: the answer says whether its
   * output may be called complete. Rejects only with PromptEvaluationError, after everything is recorded: the config says
   * `final_verification: "error"` and an output was given although the task is not complete.
   */
  async end(ended: SessionEnd): Promise<FinalVerification> {
    if (this.#ended) return null
    this.#ended = true
    this.#over.abort()
    const output = ended.output === undefined ? {} : { output: this.#safely(ended.output) }
    const verification = ended.reason === 'completed' ? await this.#verify(output) : null
    const override = output.output === undefined ? null : overrideOf(verification)
    if (override !== null) await this.#overridden(override)
    await this.#parts.shadow?.settled(SHADOW_GRACE_MS)
    const { reason, error } = ended
    const failure = error === undefined ? {} : { error: recordableText(error, this.#parts.redact) }
    await this.#note('session.ended', { reason, ...output, ...failure })
    this.#parts.onEnd()
    const { config } = this.#log
    if (override !== null && config?.document.final_verification === 'error') {
      const { promptName } = config
      throw new PromptEvaluationError(override.cause, { promptName, phase: 'response' })
    }
    return verification
  }

  async #verify(output: { readonly output?: JsonValue }): Promise<FinalVerification> {
    const checked = (this.#log.config?.checker ?? null) !== null
    return checked ? this.beforeStop({ via: 'final', ...output }) : null
  }

  /** Incomplete with an output is an event and a warning, whatever let the agent stop. */
  async #overridden(override: EventOf<'completion.overridden'>['data']): Promise<void> {
    await this.#note('completion.overridden', override)
    this.#parts.report({
      level: 'warning',
      code: 'completion_overridden',
      message: `The session gave an output although its task is not complete: ${override.cause}`,
    })
  }

  #beat(): void {
    try {
      this.#parts.heartbeat?.beat()
    } catch (error) {
      this.#failed('beat_failed', error)
    }
  }

  #safely(value: unknown): JsonValue {
    try {
      return this.#parts.redact(value)
    } catch (error) {
      this.#failed('value_not_recorded', error)
      return null
    }
  }

  #serially<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(() => {
      this.#catchUp()
      return work()
    })
    this.#queue = result.catch(() => undefined)
    return result
  }

  #failed(code: string, error: unknown): void {
    this.#parts.report({ level: 'error', code, message: messageOf(error) })
  }

  async #note<Type extends EventType>(type: Type, data: EventOf<Type>['data']): Promise<void> {
    await this.#serially(async () => this.#log.record(type, data)).catch((error: unknown) =>
      this.#failed('event_not_recorded', error),
    )
  }

  /** The verdict, or what must be answered first. */
  async #request(call: ToolCall, callId: string): Promise<CallVerdict | Asked> {
    if (this.#ended) return refused(call.tool, callId, ENDED)
    const data = {
      call_id: callId,
      tool: call.tool,
      args: redactedArgs(this.#parts.redact, call.args),
      ...(call.nativeTool === undefined ? {} : { native_tool: call.nativeTool }),
      ...agentOf(call),
    }
    const effects = await this.#log.ask('tool.requested', data, call.args)
    const waiting = effects.find((effect) => effect.kind === 'approval.requested')
    if (waiting === undefined) return this.#conclude(call, callId, effects)
    this.#log.record('approval.requested', waiting.data)
    return { question: waiting.data, seq: this.#log.seq, args: data.args }
  }

  #approvalOf({ question, seq, args }: Asked): Promise<ApprovalOutcome> {
    const { approvals, approvalLimitMs, now, id } = this.#parts
    const { call_id: callId, tool, rules, expires_at: expiresAt } = question
    const left = expiresAt - now()
    const isCut = approvalLimitMs !== null && approvalLimitMs < left
    const timeLeftMs = isCut ? approvalLimitMs : left
    const pending = { session: id, seq, callId, tool, args, rules, expiresAt, timeLeftMs }
    return awaitApproval(pending, {
      source: approvals,
      cutBy: isCut
        ? `The harness waits at most ${Math.round(approvalLimitMs / 1000)} seconds for an answer.`
        : null,
      over: this.#over.signal,
      onFailure: (error) => this.#failed('approval_not_asked', error),
    })
  }

  async #settle(call: ToolCall, callId: string, outcome: ApprovalOutcome): Promise<CallVerdict> {
    if (this.#ended) return refused(call.tool, callId, ENDED)
    const answer = { call_id: callId, ...outcome }
    return this.#conclude(call, callId, this.#log.record('approval.decided', answer))
  }

  /** Records the decision; a denied call is finished with it. */
  async #conclude(
    call: ToolCall,
    callId: string,
    effects: readonly Effect[],
  ): Promise<CallVerdict> {
    const { refusal } = this.#parts
    const effect = effects.find((candidate) => candidate.kind === 'tool.decided')
    // Without an effect another call took the id of this one while it waited for a person.
    const reason = this.#log.config === null ? refusal : NOT_DECIDED
    const decision = effect === undefined ? refusalOf(call.tool, callId, reason) : effect.data
    this.#log.record('tool.decided', decision)
    if (decision.decision === 'allowed') {
      return { allowed: true, reason: null, callId, feedback: null, decision }
    }
    const denied = {
      call_id: callId,
      tool: call.tool,
      outcome: 'denied' as const,
      ...agentOf(call),
    }
    const feedback = this.#deliver(await this.#log.ask('tool.invoked', denied), 'in_result')
    return { allowed: false, reason: decision.reason, callId, feedback, decision }
  }

  async #finishCall(
    result: ToolCallResult,
    callId: string,
  ): Promise<{ readonly feedback: string | null }> {
    const { redact, channel } = this.#parts
    const effects = await this.#log.ask('tool.invoked', {
      call_id: callId,
      tool: result.tool,
      outcome: result.outcome,
      ...(result.output === undefined ? {} : { output: redact(result.output) }),
      ...(result.error === undefined ? {} : { error: recordableText(result.error, redact) }),
      ...(result.durationMs === undefined ? {} : { duration_ms: result.durationMs }),
      ...agentOf(result),
    })
    return { feedback: this.#deliver(effects, channel) }
  }

  /** Records every delivery and failure; returns the text of the deliveries that act. */
  #deliver(effects: readonly Effect[], channel: FeedbackChannel): string | null {
    const deliveries: FeedbackDelivery[] = []
    for (const effect of effects) {
      if (effect.kind === 'feedback.failed') this.#log.record('feedback.failed', effect.data)
      if (effect.kind !== 'feedback.delivered') continue
      const delivery = deliveryOf(effect.data, channel)
      this.#log.record('feedback.delivered', { ...effect.data, delivery })
      deliveries.push(effect.data)
    }
    const render = this.#parts.plainFeedback ? renderFeedbackPlain : renderFeedback
    return render(deliveries) || null
  }

  async #decideStop(attempt: StopAttempt): Promise<StopAnswer> {
    const { redact, refusal } = this.#parts
    const { stopReason, lastMessage, output, harnessMaxBlocks } = attempt
    const effects = await this.#log.ask('stop.attempted', {
      via: attempt.via,
      ...recordableReason(stopReason, redact),
      ...(lastMessage === undefined ? {} : { last_message: recordableText(lastMessage, redact) }),
      ...(output === undefined ? {} : { output: redact(output) }),
      ...(harnessMaxBlocks === undefined ? {} : { harness_max_blocks: harnessMaxBlocks }),
      ...agentOf(attempt),
    })
    const effect = effects.find((candidate) => candidate.kind === 'stop.decided')
    if (this.#log.config === null || effect === undefined) {
      const { decision } = this.#stopWithoutDecision(attempt)
      this.#log.record('stop.decided', {
        ...decision,
        params: { ...decision.params, reason: refusal },
      })
      return answerOf(decision)
    }
    this.#log.record('stop.decided', effect.data)
    this.#failedStops = 0
    return answerOf(effect.data)
  }

  /** Without any config there is nothing that the agent could complete; without a decision it is told to go on, for a while. */
  #stopWithoutDecision({ via }: StopAttempt): StopAnswer {
    this.#failedStops += 1
    const base = {
      attempt: this.#failedStops,
      prior_blocks: this.#failedStops - 1,
      params: {},
      check: null,
    }
    if (this.#log.config === null)
      return answerOf({ ...base, verdict: 'no_checker', code: 'stop.no_config', message: null })
    // The verification after the run traps nobody, so it is never let go: what it cannot say is not said to be complete.
    if (via !== 'final' && this.#failedStops > MAX_FAILED_STOPS)
      return answerOf({
        ...base,
        ...{ verdict: 'bypassed', bypass: 'max_blocks', code: 'stop.undecided_often' },
        ...{ params: { limit: MAX_FAILED_STOPS }, message: null },
      })
    return answerOf({
      ...base,
      verdict: 'error',
      code: 'stop.not_decided',
      message: 'Whether the task is complete could not be checked. Try to finish again.',
    })
  }
}

/** A call that waits for a person. */
interface Asked {
  readonly question: ApprovalRequest
  /** Of the event approval.requested. */
  readonly seq: number
  /** As they were recorded. */
  readonly args: JsonObject
}

const MOST_REASONS = 3

function reasonsOf(notes: readonly StrictnessNote[]): string {
  const told = notes.slice(0, MOST_REASONS).map(({ message }) => `${message}.`)
  const more = notes.length - told.length
  return [...told, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
}

function pairedBefore({ before, redact }: SessionParts): PairedBefore | null {
  if (before === null) return null
  const open = before.running.map(({ call_id: callId, tool, args }) => ({ callId, tool, args }))
  return { open, callIds: before.callIds, recorded: (args) => redactedArgs(redact, args) }
}

function isRefused({ verdict }: StopDecision): boolean {
  return verdict === 'blocked' || verdict === 'error'
}

/** What is recorded when an incomplete task gave an output; null when it is complete or not checked. */
function overrideOf(
  verification: FinalVerification,
): EventOf<'completion.overridden'>['data'] | null {
  if (verification === null || !isRefused(verification.decision)) return null
  const { attempt } = verification.decision
  return { cause: verification.message ?? 'Tasks are incomplete.', attempt }
}

function answerOf(decision: StopDecision): StopAnswer {
  return { allowed: !isRefused(decision), message: decision.message, decision }
}

function refusalOf(tool: string, callId: string, reason: string): ToolDecision {
  return { call_id: callId, tool, decision: 'error', reason, rules: [] }
}

function refused(tool: string, callId: string, reason: string): CallVerdict {
  const decision = refusalOf(tool, callId, reason)
  return { allowed: false, reason, callId, feedback: null, decision }
}

function agentOf({ agent }: ToolCall | StopAttempt): { readonly agent?: string } {
  return agent === undefined ? {} : { agent }
}

function deliveryOf(delivery: FeedbackDelivery, channel: FeedbackChannel): FeedbackChannel {
  return delivery.mode === 'enforce' ? channel : 'none'
}
