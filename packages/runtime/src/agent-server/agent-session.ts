// One session of the agent protocol: turns bodies into calls of a GuardedSession, and answers a repeated request as the first one.
import { isPending, type JsonObject, omitUndefined, type RuleResult } from '@signalbox/core'
import { openChecks, openItems, stopOutlook, viewState } from '@signalbox/core/analysis'
import { type AgentBody, type AgentSessionState, computeDigest } from '@signalbox/wire'
import { describeError } from '../base/guardrail-error.ts'
import { StopCap } from '../harness/stop-cap.ts'
import type { HarnessCapabilities } from '../session/harness-capabilities.ts'
import type { GuardedSession } from '../session/session.ts'
import type { FinishedCall, ToolCallResult } from '../session/session-answers.ts'
import { AgentProblem } from './agent-problem.ts'
import type { AskedFiles } from './asked-files.ts'
import type { KeptRequest, Opening, RecordedCall, SessionRecord } from './session-record.ts'
import type { SessionWatch } from './session-watch.ts'

export interface AgentSessionParts {
  readonly session: GuardedSession
  readonly opening: Opening
  readonly capabilities: HarnessCapabilities
  readonly watch: SessionWatch
  /** null: the client is never asked. */
  readonly files: AskedFiles | null
  /** null: the session ends with this process. */
  readonly record: SessionRecord | null
  /** Requests of earlier processes. */
  readonly kept: ReadonlyMap<string, KeptRequest>
  /** Longest time for which a repeated request is held, milliseconds. */
  readonly holdMs: number
  readonly onEnd: (answer: JsonObject) => void
}

/** A request that is decided once, however often it is sent. */
export interface AskedRequest {
  readonly id: string
  readonly digest: string
  /** null: not a request for a call. */
  readonly call: RecordedCall | null
  /** Resolves when `answer` is set. */
  readonly decided: Promise<void>
  /** null: not decided yet. */
  answer: JsonObject | null
  /** Number of connections that wait for the answer. */
  waiting: number
  isRepeated: boolean
  /** A client received the answer. */
  isHeard: boolean
  /** The last connection ended before its answer, so the client denied the call. */
  isLeft: boolean
}

export interface AgentReply {
  /** 202: not decided yet; the client repeats the request. */
  readonly status: 200 | 202
  readonly body: JsonObject
}

const NEVER_ANSWERED = 'The daemon ended before it answered this call, so it is denied.'
const UNHEARD = 'The client no longer waited for the answer, so the call was denied.'
const FINISHED = 'The result of this call was already reported. Give the next call its own call_id.'
const NO_CALL = 'No call with this id was requested in this session.'

export class AgentSession {
  readonly opening: Opening
  /** Epoch milliseconds of the last request. */
  seenAt = Date.now()
  readonly #parts: AgentSessionParts
  readonly #session: GuardedSession
  readonly #cap: StopCap
  readonly #asked = new Map<string, AskedRequest>()
  /** Called when a fact is needed or a reviewer is asked. */
  readonly #listeners = new Set<() => void>()
  /** Stops are sequential, because the block of one uses up the allowance of the next. */
  #stops: Promise<unknown> = Promise.resolve()
  /** The main agent may stop; its next call begins a new run. */
  #mayStop: boolean
  /** Output, or else last message, of the main agent's last stop attempt. */
  #lastOutput: unknown

  constructor(parts: AgentSessionParts) {
    const { session, opening, capabilities, kept } = parts
    this.#parts = parts
    this.#session = session
    this.opening = opening
    this.#cap = new StopCap(capabilities, session.past)
    this.#mayStop = session.past?.mayStop ?? false
    this.#lastOutput = session.past?.lastOutput
    for (const [id, request] of kept) this.#restore(id, request)
  }

  get id(): string {
    return this.#session.id
  }

  /** Call this when a fact is needed or a reviewer is asked. */
  notify(): void {
    for (const look of this.#listeners) look()
  }

  /** Throws AgentProblem if the call was requested with another body, or its result was reported. */
  before(body: AgentBody<'before-tool'>): AskedRequest {
    const { call_id: callId, tool, args, native_tool: nativeTool, agent_path: agent } = body
    if (this.#hasResult(callId)) throw new AgentProblem('call_finished', FINISHED)
    const call = { callId, tool, ...omitUndefined({ agent }) }
    return this.#ask({ id: toCallKey(callId), body, call }, async () => {
      if (agent === undefined && this.#mayStop) {
        this.#mayStop = false
        this.#cap.runStarted()
      }
      this.#cap.called(agent)
      const verdict = await this.#session.beforeToolCall({
        ...call,
        args,
        ...omitUndefined({ nativeTool }),
      })
      this.#parts.watch.takeEntries(callId)
      if (verdict.allowed) return { decision: 'allow', ...omitUndefined({ args: verdict.args }) }
      const reason = [verdict.reason, verdict.feedback].filter(Boolean).join('\n\n')
      return { decision: 'deny', reason, rules: verdict.decision.rules.flatMap(toDenyingRule) }
    })
  }

  /** Throws AgentProblem if the call was never requested, or its result was reported with another body. */
  after(body: AgentBody<'after-tool'>): AskedRequest {
    const { call_id: callId, outcome, output, error, duration_ms: durationMs } = body
    const call = this.#asked.get(toCallKey(callId))?.call
    if (!call) throw new AgentProblem('call_unknown', NO_CALL)
    return this.#ask({ id: toResultKey(callId), body }, async () => {
      const { feedback, replaced } = await this.#finish(call, {
        outcome,
        ...omitUndefined({ output, error: error && formatFailure(error), durationMs }),
      })
      const entries = this.#parts.watch.takeEntries(callId)
      if (replaced === null) return { feedback, entries }
      return { feedback, entries, output: replaced.output ?? replaced.error ?? null }
    })
  }

  /** Throws AgentProblem if the attempt was made with another body. */
  stop(body: AgentBody<'stop'>): AskedRequest {
    return this.#ask({ id: `stop/${body.attempt_id}`, body }, () => {
      const answer = this.#stops.then(() => this.#decideStop(body))
      this.#stops = answer.catch(() => undefined)
      return answer
    })
  }

  async #decideStop(body: AgentBody<'stop'>): Promise<JsonObject> {
    const { via, output, last_message: lastMessage, stop_reason: stopReason } = body
    const isMain = via !== 'subagent_end'
    if (isMain) this.#lastOutput = output ?? lastMessage
    const attempt = via === 'final' ? null : { via }
    const cap = attempt && this.#cap.asked(attempt, this.#session.state.stops.blocks)
    const answer = await this.#session.beforeStop({
      via,
      ...omitUndefined({ output, lastMessage, stopReason, harnessMaxBlocks: cap ?? undefined }),
    })
    if (!answer.allowed && attempt !== null) this.#cap.blocked(attempt)
    if (via === 'turn_end') this.#mayStop = answer.allowed
    if (answer.allowed) return { decision: 'allow' }
    const { check } = answer.decision
    const remaining = check === null ? [] : openChecks(check).flatMap(openItems)
    return { decision: 'block', message: answer.message, remaining }
  }

  /** Throws AgentProblem if the session was ended with another body. */
  end(body: AgentBody<'end'>): AskedRequest {
    return this.#ask({ id: 'end', body }, async () => {
      const { reason, output = this.#lastOutput, error } = body
      const answer = await this.#session
        .end({
          reason,
          ...omitUndefined({ output, error: error && formatFailure(error) }),
        })
        .then(() => ({}))
        // Everything is recorded: the config makes an incomplete output an error of the agent.
        .catch((refused: unknown) => ({ error: describeError(refused) }))
      if (!this.#parts.watch.hasEnded) {
        // A repetition records the end, here or in the next process.
        this.#asked.delete('end')
        throw new Error(`The end of the session ${this.id} could not be recorded.`)
      }
      this.#parts.record?.remove()
      this.#parts.onEnd(answer)
      return answer
    })
  }

  async plan({ steps }: AgentBody<'plan'>): Promise<void> {
    await this.#session.updatePlan(steps)
  }

  async usage(usage: AgentBody<'usage'>): Promise<void> {
    await this.#session.recordUsage(usage)
  }

  async note({ text }: AgentBody<'note'>): Promise<void> {
    await this.#session.note(text)
  }

  /** Throws AgentProblem when a value does not fit its fact. */
  answerFacts({ facts }: AgentBody<'facts'>): void {
    this.#parts.files?.answer(facts)
  }

  /** Records that the client let a stop through without an answer. Rejects when it could not be recorded. */
  async overridden(cause: string): Promise<void> {
    const { watch } = this.#parts
    const before = watch.overrides
    await this.#session.completionOverridden(cause)
    if (watch.overrides === before) throw new Error('The stop could not be recorded.')
  }

  get state(): AgentSessionState {
    const { state, compiled } = this.#session
    const moment = { at: Date.now(), harnessMaxBlocks: null }
    const outlook = compiled === null ? null : stopOutlook(compiled, state, moment)
    const view = compiled === null ? null : viewState(compiled, state)
    return {
      session: this.id,
      prompt: this.opening.body.prompt,
      config: this.opening.answer.config,
      plan: state.plan === null ? null : [...state.plan.steps],
      missing: (view?.stillNeeded ?? []).map(({ tool, missing }) => ({
        tool,
        missing: [...missing],
      })),
      pending: (view?.pending ?? []).map(({ callId, tool }) => ({ call_id: callId, tool })),
      stop: outlook && {
        verdict: outlook.verdict,
        remaining: outlook.remaining.steps.map(({ text }) => text),
      },
    }
  }

  /** Stops writing; the next process continues the session. */
  leave(): void {
    this.#parts.record?.close()
  }

  /** Waits for the decision, or until the client must act: it answers facts, or repeats the request while a reviewer is asked. */
  reply(asked: AskedRequest): Promise<AgentReply> {
    const { files, watch, holdMs } = this.#parts
    let isHeld = asked.isRepeated
    asked.isRepeated = true
    asked.waiting += 1
    asked.isLeft = false
    return new Promise((resolve, reject) => {
      const settle = (reply: AgentReply) => {
        clearTimeout(timer)
        this.#listeners.delete(look)
        resolve(reply)
      }
      const look = () => {
        if (asked.answer !== null) return
        const need = files?.needs ?? []
        if (need.length > 0) return settle({ status: 202, body: { need } })
        const waiting = isHeld || asked.call === null ? null : watch.findWaiting(asked.call.callId)
        if (waiting !== null) settle({ status: 202, body: { waiting } })
      }
      const timer = setTimeout(() => {
        isHeld = false
        look()
      }, holdMs)
      this.#listeners.add(look)
      const answer = () => {
        if (asked.answer !== null) settle({ status: 200, body: asked.answer })
      }
      asked.decided.then(answer, reject)
      look()
    })
  }

  /** Call this after each reply. `wasHeard` false: the client's connection ended first. */
  async replied(asked: AskedRequest, { status }: AgentReply, wasHeard: boolean): Promise<void> {
    asked.waiting -= 1
    if (wasHeard) {
      if (status === 200) asked.isHeard = true
      return
    }
    asked.isLeft = !asked.isHeard && asked.waiting === 0
    await this.#denyUnheard(asked)
  }

  #ask(
    {
      id,
      body,
      call,
    }: { readonly id: string; readonly body: object; readonly call?: RecordedCall },
    decide: () => Promise<JsonObject>,
  ): AskedRequest {
    const digest = computeDigest(body)
    const known = this.#asked.get(id)
    if (known !== undefined) {
      if (known.digest === digest) return known
      throw new AgentProblem('other_body', 'Another body was sent with the id of this request.')
    }
    const { record } = this.#parts
    record?.append({ id, digest, ...omitUndefined({ call }) })
    const decided = decide().then(async (answer) => {
      record?.append({ id, answer })
      asked.answer = answer
      await this.#denyUnheard(asked)
    })
    const asked = newRequest({ id, digest, call: call ?? null, decided, answer: null })
    this.#asked.set(id, asked)
    return asked
  }

  /** Includes a result that a killed process received and did not answer. */
  #hasResult(callId: string): boolean {
    const key = toResultKey(callId)
    return this.#asked.has(key) || this.#parts.kept.has(key)
  }

  /** An allowed call that no client knows to be allowed does not run. */
  async #denyUnheard(asked: AskedRequest): Promise<void> {
    const { call, answer, isLeft } = asked
    if (!isLeft || call === null || answer?.['decision'] !== 'allow') return
    if (!this.#hasResult(call.callId)) await this.#deny(asked, call, UNHEARD)
  }

  async #deny(asked: AskedRequest, call: RecordedCall, reason: string): Promise<void> {
    const answer = { decision: 'deny', reason, rules: [] }
    asked.answer = answer
    this.#parts.record?.append({ id: asked.id, answer })
    if (isPending(this.#session.state, call.callId))
      await this.#finish(call, { outcome: 'denied', error: reason })
    this.#parts.watch.takeEntries(call.callId)
  }

  /** A call that the killed process did not answer did not run. Any other request without an answer is decided when it is repeated. */
  #restore(id: string, { digest, call, answer }: KeptRequest): void {
    if (call === undefined && answer === null) return
    const asked = newRequest({
      id,
      digest,
      call: call ?? null,
      decided: Promise.resolve(),
      answer,
    })
    this.#asked.set(id, asked)
    if (answer !== null || call === undefined) return
    // The denial holds even when the disk refuses its record; then the next process denies the call again.
    this.#deny(asked, call, NEVER_ANSWERED).catch(() => undefined)
  }

  #finish(
    call: RecordedCall,
    result: Omit<ToolCallResult, keyof RecordedCall | 'args'>,
  ): Promise<FinishedCall> {
    return this.#session.afterToolCall({ ...call, ...result, args: {} })
  }
}

function newRequest(
  given: Pick<AskedRequest, 'id' | 'digest' | 'call' | 'decided' | 'answer'>,
): AskedRequest {
  return { ...given, waiting: 0, isRepeated: false, isHeard: false, isLeft: false }
}

function toCallKey(callId: string): string {
  return `call/${callId}`
}

function toResultKey(callId: string): string {
  return `result/${callId}`
}

function formatFailure({ kind, message }: { readonly kind?: string; readonly message: string }) {
  return kind === undefined ? message : `${kind}: ${message}`
}

/** Empty for a rule that did not deny the call. */
function toDenyingRule({ rule, type, code, mode, result, reason = '' }: RuleResult): JsonObject[] {
  return mode === 'enforce' && result !== 'allow' ? [{ rule, type, code, reason }] : []
}
