// One session: asks core, records what it asked and what core answered, and gives the answer to the harness. Calls are
// serialised. Whatever fails in here refuses the call; nothing fails open.
import {
  type CompiledConfig,
  type Effect,
  type EventOf,
  type EventType,
  type FeedbackDelivery,
  type FileFact,
  factsNeeded,
  initialState,
  type JsonObject,
  type JsonValue,
  type PlanStep,
  renderFeedback,
  type SessionEnded,
  type SessionEvent,
  type SessionStarted,
  type SessionState,
  type StopDecision,
  type StopVia,
  step,
  type ToolDecision,
  type ToolOutcome,
  type UsageRecorded,
} from '@signalbox/core'
import { CallPairing } from './call-pairing.ts'
import type { OnDiagnostic } from './diagnostic.ts'
import type { FileLookup } from './file-lookup.ts'
import { messageOf } from './guardrail-error.ts'
import type { Recorder } from './recorder.ts'
import { type Redact, redactedArgs } from './redact.ts'
import { awaitedSleep } from './sleep.ts'

export interface ToolCall {
  readonly tool: string
  readonly args: unknown
  /** Absent: the harness gives none; results are paired by tool and arguments. */
  readonly callId?: string
  readonly agent?: string
}

export interface ToolCallResult extends ToolCall {
  readonly outcome: Exclude<ToolOutcome, 'denied'>
  readonly output?: unknown
  readonly error?: string
  readonly durationMs?: number
}

export interface CallVerdict {
  readonly allowed: boolean
  /** Text for the agent; null when allowed. */
  readonly reason: string | null
  readonly callId: string
  /** Feedback that came with a denial; null when there is none. */
  readonly feedback: string | null
  readonly decision: ToolDecision
}

export interface StopAttempt {
  readonly via: StopVia
  readonly output?: unknown
  readonly lastMessage?: string
  readonly stopReason?: string
  readonly harnessMaxBlocks?: number
}

export interface StopAnswer {
  readonly allowed: boolean
  /** Text for the agent; null when the stop is let through. */
  readonly message: string | null
  readonly decision: StopDecision
}

export type FeedbackChannel = 'message' | 'in_result' | 'none'

/** Which config the session holds to, and why; recorded at its beginning. */
export type ConfigOrigin =
  | {
      readonly kind: 'applied'
      readonly digest: string
      readonly revision: number | null
      readonly note: string | null
    }
  | { readonly kind: 'none'; readonly reason: string }

/** What the end of a session says of its completeness; null when no checker is declared or the run did not complete. */
export type FinalVerification = StopAnswer | null

export interface SessionParts {
  readonly id: string
  /** null: no config could be applied; every call is refused with `refusal`. */
  readonly config: CompiledConfig | null
  readonly refusal: string
  readonly recorder: Recorder
  readonly redact: Redact
  readonly files: FileLookup
  readonly report: OnDiagnostic
  /** How feedback reaches this harness's agent. */
  readonly channel: FeedbackChannel
  readonly onEnd: () => void
}

/** Blocked stops that are let through when this code itself cannot decide, so that a defect cannot trap an agent for ever. */
const MAX_FAILED_STOPS = 10
/** A look-up that takes longer is given up; the calls of a session wait for each other. */
const LOOK_UP_MS = 5000

export class GuardedSession {
  readonly id: string
  readonly #parts: SessionParts
  readonly #pairing = new CallPairing()
  #state: SessionState
  #queue: Promise<unknown> = Promise.resolve()
  /** Not recorded yet: the disk refused it, and the next call tries again before anything else. */
  #unrecorded: { readonly started: SessionStarted; readonly origin: ConfigOrigin } | null = null
  #failedStops = 0
  #ended = false

  constructor(parts: SessionParts) {
    this.id = parts.id
    this.#parts = parts
    this.#state = initialState(parts.config?.promptName ?? '')
  }

  /** What core remembers now; JSON by core's snapshotState. */
  get state(): SessionState {
    return this.#state
  }

  /** Must be asked before every tool call; the tool may run only when `allowed`. Never rejects. */
  beforeToolCall(call: ToolCall): Promise<CallVerdict> {
    const callId = call.callId || this.#pairing.begin(call.tool, call.args)
    return this.#serially(() => this.#decideCall(call, callId)).catch((error: unknown) => {
      this.#failed('call_not_decided', error)
      return this.#refused(
        call.tool,
        callId,
        'The guardrails could not decide this call, so it is denied.',
      )
    })
  }

  /** Must be told of every finished call. Gives the feedback for the agent, null when there is none. Never rejects. */
  afterToolCall(result: ToolCallResult): Promise<{ readonly feedback: string | null }> {
    const callId = result.callId || this.#pairing.end(result.tool, result.args)
    return this.#serially(() => this.#finishCall(result, callId)).catch((error: unknown) => {
      this.#failed('result_not_recorded', error)
      return { feedback: null }
    })
  }

  /** Must be asked when the agent wants to stop; it must continue with `message` unless `allowed`. Never rejects. */
  beforeStop(attempt: StopAttempt): Promise<StopAnswer> {
    return this.#serially(() => this.#decideStop(attempt)).catch((error: unknown) => {
      this.#failed('stop_not_decided', error)
      return this.#stopWithoutDecision()
    })
  }

  /** Records the beginning; called once, by the opener. While the disk refuses it, every call is denied. */
  start(started: SessionStarted, origin: ConfigOrigin): void {
    this.#unrecorded = { started, origin }
    try {
      this.#begin()
    } catch (error) {
      this.#failed('session_not_recorded', error)
    }
  }

  #begin(): void {
    if (this.#unrecorded === null) return
    const { started, origin } = this.#unrecorded
    this.#record('session.started', started)
    this.#unrecorded = null
    if (origin.kind === 'none') {
      this.#record('config.rejected', { reason: origin.reason })
      return
    }
    const { digest, revision, note } = origin
    this.#record('config.applied', { digest, ...(revision === null ? {} : { revision }) })
    if (note !== null) this.#record('note', { text: note })
  }

  /** The agent's whole plan, replacing the last one. */
  updatePlan(steps: readonly PlanStep[]): Promise<void> {
    return this.#note('plan.updated', { steps })
  }

  recordUsage(usage: UsageRecorded): Promise<void> {
    return this.#note('usage.recorded', usage)
  }

  note(text: string): Promise<void> {
    return this.#note('note', { text })
  }

  /**
   * Ends the session; later calls are refused. Idempotent. A completed run is verified once more: the answer says whether its
   * output may be called complete. Never rejects.
   */
  async end(ended: SessionEnded): Promise<FinalVerification> {
    if (this.#ended) return null
    this.#ended = true
    const output = ended.output === undefined ? {} : { output: this.#safely(ended.output) }
    const verification = ended.reason === 'completed' ? await this.#verify(output) : null
    await this.#note('session.ended', { ...ended, ...output })
    this.#parts.onEnd()
    return verification
  }

  /** semantics: incomplete with an output is an event and a warning, whatever let the agent stop. */
  async #verify(output: { readonly output?: JsonValue }): Promise<FinalVerification> {
    const checked = (this.#parts.config?.checker ?? null) !== null
    if (!checked) return null
    const answer = await this.beforeStop({ via: 'final', ...output })
    const { verdict, attempt } = answer.decision
    const incomplete = verdict === 'blocked' || verdict === 'error'
    if (incomplete && output.output !== undefined) {
      const cause = answer.message ?? 'Tasks are incomplete.'
      await this.#note('completion.overridden', { cause, attempt })
      this.#parts.report({
        level: 'warning',
        code: 'completion_overridden',
        message: `The session gave an output although its task is not complete: ${cause}`,
      })
    }
    return answer
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
      this.#begin()
      return work()
    })
    this.#queue = result.catch(() => undefined)
    return result
  }

  #failed(code: string, error: unknown): void {
    this.#parts.report({ level: 'error', code, message: messageOf(error) })
  }

  async #note<Type extends EventType>(type: Type, data: EventOf<Type>['data']): Promise<void> {
    await this.#serially(async () => this.#record(type, data)).catch((error: unknown) =>
      this.#failed('event_not_recorded', error),
    )
  }

  /** Records an event that needs no facts, and folds it. */
  #record<Type extends EventType>(type: Type, data: EventOf<Type>['data']): readonly Effect[] {
    return this.#fold(this.#parts.recorder.draft(type, data))
  }

  #fold(event: SessionEvent): readonly Effect[] {
    this.#parts.recorder.commit(event)
    if (this.#parts.config === null) return []
    const next = step(this.#parts.config, this.#state, event)
    this.#state = next.state
    return next.effects
  }

  /** Looks up what core needs to know of `event`, records both, and folds it. */
  async #ask(
    event: EventOf<'tool.requested'> | EventOf<'tool.invoked'> | EventOf<'stop.attempted'>,
  ): Promise<readonly Effect[]> {
    const { config, files } = this.#parts
    const wanted = config === null ? [] : factsNeeded(config, this.#state, event).files
    if (wanted.length === 0) return this.#fold(event)
    const found = await Promise.all(
      wanted.map(async (file) => [file, await this.#lookUp(files, file)] as const),
    )
    const data = { ...event.data, facts: { files: Object.fromEntries(found) } }
    // Only `facts` was added, which every one of these three events may carry.
    return this.#fold({ ...event, data } as SessionEvent)
  }

  /** A look-up that fails or hangs is unknown, and unknown denies. */
  async #lookUp(files: FileLookup, file: string): Promise<FileFact> {
    const done = new AbortController()
    try {
      const late = awaitedSleep(LOOK_UP_MS, done.signal).then(
        (): FileFact => ({ exists: 'unknown' }),
      )
      return await Promise.race([files.lookUp(file), late])
    } catch (error) {
      this.#failed('file_not_looked_up', error)
      return { exists: 'unknown' }
    } finally {
      done.abort()
    }
  }

  async #decideCall(call: ToolCall, callId: string): Promise<CallVerdict> {
    if (this.#ended) return this.#refused(call.tool, callId, 'The session has ended.')
    const { recorder, redact, config, refusal } = this.#parts
    const agent = call.agent === undefined ? {} : { agent: call.agent }
    const data = {
      call_id: callId,
      tool: call.tool,
      args: redactedArgs(redact, call.args),
      ...agent,
    }
    const effects = await this.#ask(recorder.draft('tool.requested', data))
    const effect = effects.find((candidate) => candidate.kind === 'tool.decided')
    const decision =
      config === null || effect === undefined ? refusalOf(call.tool, callId, refusal) : effect.data
    this.#record('tool.decided', decision)
    if (decision.decision === 'allowed') {
      return { allowed: true, reason: null, callId, feedback: null, decision }
    }
    const invoked = recorder.draft('tool.invoked', {
      call_id: callId,
      tool: call.tool,
      outcome: 'denied',
      ...agent,
    })
    const feedback = this.#deliver(await this.#ask(invoked), 'in_result')
    return { allowed: false, reason: decision.reason, callId, feedback, decision }
  }

  #refused(tool: string, callId: string, reason: string): CallVerdict {
    return {
      allowed: false,
      reason,
      callId,
      feedback: null,
      decision: refusalOf(tool, callId, reason),
    }
  }

  async #finishCall(
    result: ToolCallResult,
    callId: string,
  ): Promise<{ readonly feedback: string | null }> {
    const { recorder, redact, channel } = this.#parts
    const event = recorder.draft('tool.invoked', {
      call_id: callId,
      tool: result.tool,
      outcome: result.outcome,
      ...(result.output === undefined ? {} : { output: redact(result.output) }),
      ...(result.error === undefined ? {} : { error: textOf(redact(result.error)) }),
      ...(result.durationMs === undefined ? {} : { duration_ms: result.durationMs }),
      ...(result.agent === undefined ? {} : { agent: result.agent }),
    })
    return { feedback: this.#deliver(await this.#ask(event), channel) }
  }

  /** Records every delivery; returns the text of those that act. */
  #deliver(effects: readonly Effect[], channel: FeedbackChannel): string | null {
    const deliveries = effects.flatMap((effect) =>
      effect.kind === 'feedback.delivered' ? [effect.data] : [],
    )
    for (const delivery of deliveries)
      this.#record('feedback.delivered', { ...delivery, delivery: deliveryOf(delivery, channel) })
    return renderFeedback(deliveries) || null
  }

  async #decideStop(attempt: StopAttempt): Promise<StopAnswer> {
    const { recorder, redact, config, refusal } = this.#parts
    const event = recorder.draft('stop.attempted', {
      via: attempt.via,
      ...(attempt.stopReason === undefined ? {} : { stop_reason: attempt.stopReason }),
      ...(attempt.lastMessage === undefined
        ? {}
        : { last_message: textOf(redact(attempt.lastMessage)) }),
      ...(attempt.output === undefined ? {} : { output: redact(attempt.output) }),
      ...(attempt.harnessMaxBlocks === undefined
        ? {}
        : { harness_max_blocks: attempt.harnessMaxBlocks }),
    })
    const effects = await this.#ask(event)
    const effect = effects.find((candidate) => candidate.kind === 'stop.decided')
    if (config === null || effect === undefined) {
      const { decision } = this.#stopWithoutDecision()
      this.#record('stop.decided', { ...decision, params: { reason: refusal } })
      return answerOf(decision)
    }
    this.#record('stop.decided', effect.data)
    return answerOf(effect.data)
  }

  /** Without any config there is nothing that the agent could complete; without a decision it is told to go on, for a while. */
  #stopWithoutDecision(): StopAnswer {
    this.#failedStops += 1
    const trapped = this.#parts.config === null || this.#failedStops > MAX_FAILED_STOPS
    const params: JsonObject = {}
    const base = {
      attempt: this.#failedStops,
      prior_blocks: this.#failedStops - 1,
      params,
      check: null,
    }
    return answerOf(
      trapped
        ? { ...base, verdict: 'no_checker', code: 'stop.no_config', message: null }
        : {
            ...base,
            verdict: 'error',
            code: 'stop.not_decided',
            message: 'Whether the task is complete could not be checked. Try to finish again.',
          },
    )
  }
}

function answerOf(decision: StopDecision): StopAnswer {
  const allowed = decision.verdict !== 'blocked' && decision.verdict !== 'error'
  return { allowed, message: decision.message, decision }
}

function refusalOf(tool: string, callId: string, reason: string): ToolDecision {
  return { call_id: callId, tool, decision: 'error', reason, rules: [] }
}

function deliveryOf(delivery: FeedbackDelivery, channel: FeedbackChannel): FeedbackChannel {
  return delivery.mode === 'enforce' ? channel : 'none'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
