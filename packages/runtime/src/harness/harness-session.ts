import {
  type ConfigDocument,
  DENIED_BY_POLICY,
  isJsonObject,
  isPending,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type UsageRecorded,
} from '@signalbox/core'
import { replacesResult } from '@signalbox/core/host'
import type { Guardrails } from '../session/guardrails.ts'
import { OUTPUT_ACCEPTED } from '../session/past-run.ts'
import type { GuardedSession } from '../session/session.ts'
import type {
  FinalVerification,
  FinishedCall,
  Replacement,
  SessionEnd,
  ToolCall,
  ToolCallResult,
} from '../session/session-answers.ts'
import type { SessionOptions } from '../session/session-options.ts'
import { EndedIds } from './ended-ids.ts'
import type { HarnessProfile } from './harness-profile.ts'
import type { HookEvent, HookKnowledge } from './hook-harness.ts'
import type { NativeCall, NativeResult, NativeStop } from './native-call.ts'
import type { NativeTools } from './native-tools.ts'
import { StopCap } from './stop-cap.ts'
import { type NamedCall, ToolNaming } from './tool-naming.ts'

/** Verdict on a call: it may run (`text` null: no message for the agent), or the reason and feedback for the agent. */
export type HarnessVerdict =
  | {
      readonly allowed: true
      readonly text: string | null
      /** Arguments with which the call must run instead of its own. Absent: its own. */
      readonly input?: JsonObject
    }
  | { readonly allowed: false; readonly text: string }

export type HarnessStop =
  | { readonly allowed: true; readonly message: string | null }
  | { readonly allowed: false; readonly message: string }

const UNDECIDED = 'The guardrails could not decide this call, so it is denied.'
const NO_RESULT = 'The harness reported no result of this call; it was probably interrupted.'
const UNHEARD = 'The answer came too late, so the harness treated it as a refusal.'
const NOT_MASKABLE =
  'A content rule masks the arguments of this call, and this harness cannot give the tool other ones.'
const NOTHING_SAID: FinishedCall = { feedback: null, replaced: null }
const OTHER_PART = 'Another part of the same call was denied, so no part of it ran.'

/** Maps tool names to those of rules, keeps the plan, and counts blocks against the harness's cap. */
export class HarnessSession {
  readonly session: GuardedSession
  readonly #tools: NativeTools
  #named: ConfigDocument | null
  #naming: ToolNaming
  /** Names under which running calls were evaluated, by call id. A stricter version that arrives meanwhile may use other names. */
  readonly #judgedAs = new Map<string, readonly NamedCall[]>()
  readonly #cap: StopCap
  readonly #ended = new EndedIds()
  /** Calls whose end came from the harness's own records. A later hook about such a call reports nothing new. */
  readonly #settled = new EndedIds()
  readonly #running = new Map<string, NativeCall>()
  /** Output at the main agent's last stop attempt. The run's output, if it ends now. */
  #lastOutput: unknown
  #plans: Promise<void> = Promise.resolve()
  /** Stops are sequential, because the block of one agent must not use up the allowance computed for another. */
  #stops: Promise<unknown> = Promise.resolve()
  readonly #used = new Map<string, string>()
  /** The main agent may stop; its next call begins a new run. */
  #mayStop: boolean
  /** The main agent attempted to stop, and has called no tool since. */
  #hasAsked: boolean
  /** The harness accepted a structured output, so the run ends regardless of the answer to the next stop. */
  #accepted: boolean
  readonly #canBlock: boolean

  constructor(session: GuardedSession, profile: HarnessProfile) {
    this.session = session
    this.#tools = profile.tools
    this.#named = session.config
    this.#naming = new ToolNaming(profile.tools, session.config)
    const { past } = session
    this.#cap = new StopCap(profile.capabilities, past)
    this.#lastOutput = past?.lastOutput
    this.#mayStop = past?.mayStop ?? false
    this.#accepted = past?.hasAccepted ?? false
    // It is not known whether a resumed agent called a tool after its last stop attempt, so no attempt is reported as missing.
    this.#hasAsked = past !== null
    this.#canBlock = profile.capabilities.blockStop !== 'none'
    for (const callId of past?.endedCalls ?? []) this.#ended.add(callId)
  }

  static open(
    guardrails: Pick<Guardrails, 'openSession'>,
    profile: HarnessProfile,
    options: SessionOptions = {},
  ): HarnessSession {
    return new HarnessSession(
      guardrails.openSession({ ...profileOptions(profile), ...options }),
      profile,
    )
  }

  /** Call this before every tool call; the tool may run only if `allowed`. Never rejects. */
  async before(call: NativeCall): Promise<HarnessVerdict> {
    if (call.agent === undefined) {
      // The main agent was allowed to stop and calls a tool, so it has begun a new run.
      if (this.#mayStop) this.runStarted()
      this.#hasAsked = false
    }
    this.#cap.called(call.agent)
    if (call.callId !== undefined) this.#settled.delete(call.callId)
    const verdict = await this.#judge(call).catch(
      () => ({ allowed: false, text: UNDECIDED }) as const,
    )
    if (!verdict.allowed) {
      this.#ended.add(call.callId)
      if (call.callId !== undefined) this.#judgedAs.delete(call.callId)
    }
    if (verdict.allowed && call.callId !== undefined && call.agent === undefined)
      this.#running.set(call.callId, call)
    return verdict
  }

  /** Call this for every finished call. Returns feedback for the agent; null: none. Never rejects. */
  async after(result: NativeResult): Promise<string | null> {
    return (await this.finish(result)).feedback
  }

  /** The same as `after`, for harnesses that can give the model another result. Never rejects. */
  async finish(result: NativeResult): Promise<FinishedCall> {
    return this.#settled.has(result.callId) ? NOTHING_SAID : await this.#record(result)
  }

  async #record(result: NativeResult): Promise<FinishedCall> {
    this.#ended.add(result.callId)
    const names = this.#nameEnded(result)
    if (result.callId !== undefined) this.#running.delete(result.callId)
    try {
      await this.#keepPlan(result)
      const { tool, input, callId, agent, ...told } = result
      const texts: (string | null)[] = []
      let replaced: Replacement | null = null
      for (const [index, named] of names.entries()) {
        // A call has one result: only its first part records output, error and duration. Content rules of every part inspect it.
        const part: Omit<ToolCallResult, 'tool' | 'args'> =
          index === 0 || this.#inspects(named.tool)
            ? { ...told, ...replaced }
            : { outcome: told.outcome }
        const finished = await this.session.afterToolCall({
          ...identified(result, named, index),
          ...part,
        })
        texts.push(finished.feedback)
        replaced = finished.replaced ?? replaced
      }
      return { feedback: joined(texts), replaced }
    } catch {
      return { feedback: null, replaced: withholdAll(this.session, result) }
    }
  }

  /** For calls that no other report covers: allowed here but refused by the harness, or never submitted. Ignores calls without an id. Never rejects. */
  async settle(results: readonly NativeResult[]): Promise<string | null> {
    const texts: (string | null)[] = []
    for (const result of results) {
      const { callId, outcome, agent } = result
      if (callId === undefined || this.#ended.has(callId)) continue
      this.#cap.called(agent)
      this.#settled.add(callId)
      const asked = isPending(this.session.state, callId)
      // A call that was never submitted may have run, unless the harness reports that it did not.
      const { feedback } = await this.#record(
        asked || outcome === 'invalid' ? result : { ...result, outcome: 'unknown' },
      )
      texts.push(feedback)
    }
    return joined(texts)
  }

  /** Records facts from the harness's own records. Returns feedback as `after` does. Never rejects. */
  async learn({ results = [], unasked = [], usage = [] }: HookKnowledge): Promise<string | null> {
    for (const used of usage) await this.#keepUsage(used)
    const { state } = this.session
    const awaited = results.filter(({ callId }) => callId !== undefined && isPending(state, callId))
    return this.settle([...awaited, ...unasked])
  }

  /** Call this when the agent wants to stop; unless `allowed`, it must continue with `message`. Never rejects. */
  stop(attempt: NativeStop): Promise<HarnessStop> {
    const answer = this.#stops.then(() => this.#decideStop(attempt))
    this.#stops = answer.catch(() => undefined)
    return answer
  }

  async #decideStop(attempt: NativeStop): Promise<HarnessStop> {
    const { via, output, lastMessage, stopReason, agent } = attempt
    const main = agent === undefined
    if (main && this.#accepted && via === 'turn_end') {
      this.#mayStop = true
      return { allowed: true, message: null }
    }
    if (main) {
      // The returned feedback is dropped: no result carries it to the agent.
      for (const call of this.#running.values())
        await this.after({ ...call, outcome: 'unknown', error: NO_RESULT })
      this.#hasAsked = true
      this.#lastOutput = output ?? lastMessage
    }
    const cap = this.#cap.asked(attempt, this.session.state.stops.blocks)
    const answer = await this.session.beforeStop({
      via,
      ...omitUndefined({
        output,
        lastMessage,
        stopReason,
        agent,
        harnessMaxBlocks: cap ?? undefined,
      }),
    })
    if (!answer.allowed) this.#cap.blocked(attempt)
    if (main && via === 'turn_end') this.#mayStop = answer.allowed
    return answer.allowed
      ? { allowed: true, message: answer.message }
      : { allowed: false, message: answer.message }
  }

  /** Records that the harness received no permission in time, which it treated as a refusal. Never rejects. */
  async unheard(event: HookEvent): Promise<void> {
    if (event.kind === 'tool_requested')
      await this.after({ ...event.call, outcome: 'denied', error: UNHEARD })
    if (event.kind !== 'stop_attempted') return
    if (event.attempt.agent === undefined) this.#mayStop = false
    await this.session.note(UNHEARD)
  }

  /** Records that the harness accepted this structured output. The stop that follows is not evaluated again. Rejects as `note` does. */
  async outputAccepted(output: unknown): Promise<void> {
    this.#accepted = true
    this.#lastOutput = output
    await this.session.note(OUTPUT_ACCEPTED)
  }

  /** The user sent a prompt. In the middle of a run this changes nothing, because harnesses keep counting until the agent has stopped. */
  runStarted(): void {
    // A run that ends with an accepted output makes no further stop attempt, even if it was interrupted.
    if (!this.#mayStop && !this.#accepted) return
    this.#mayStop = false
    this.#accepted = false
    this.#cap.runStarted()
  }

  /** True: the config checks stops, and the main agent has not attempted to stop since its last call. */
  get owesStop(): boolean {
    const isChecked = this.session.config?.task_completion_checker !== undefined
    return isChecked && this.#canBlock && !this.#hasAsked && !this.#accepted
  }

  /** Reason for the session's end if no further event arrives. An agent that was allowed to stop has stopped. */
  get leftAs(): 'completed' | 'aborted' {
    return this.#mayStop ? 'completed' : 'aborted'
  }

  /** Verifies a completed run again: a harness that ended although it had to continue is recorded as overridden. Rejects as GuardedSession.end does. */
  end(ended: SessionEnd): Promise<FinalVerification> {
    const { output = this.#lastOutput } = ended
    return this.session.end(output === undefined ? ended : { ...ended, output })
  }

  #names(): ToolNaming {
    const { config } = this.session
    if (config !== this.#named) {
      this.#named = config
      this.#naming = new ToolNaming(this.#tools, config)
    }
    return this.#naming
  }

  #nameEnded(result: NativeResult): readonly NamedCall[] {
    const { callId } = result
    const judged = callId === undefined ? undefined : this.#judgedAs.get(callId)
    if (callId !== undefined) this.#judgedAs.delete(callId)
    return judged ?? this.#names().nameCalls(result)
  }

  async #judge(call: NativeCall): Promise<HarnessVerdict> {
    const verdicts = []
    const names = this.#names().nameCalls(call)
    if (call.callId !== undefined) this.#judgedAs.set(call.callId, names)
    for (const [index, named] of names.entries()) {
      const verdict = await this.session.beforeToolCall(identified(call, named, index))
      verdicts.push({ verdict, named, index })
    }
    const texts = verdicts.flatMap(({ verdict }) =>
      verdict.allowed ? [] : [verdict.reason, verdict.feedback],
    )
    const [only, ...others] = verdicts
    const masked = verdicts.some(({ verdict }) => verdict.allowed && verdict.args !== undefined)
    if (texts.length === 0 && !masked) return { allowed: true, text: null }
    const input =
      only?.verdict.allowed === true && others.length === 0 && call.isReshaped !== true
        ? restoreInput(call.input, only.named.args, only.verdict.args)
        : null
    if (texts.length === 0 && input !== null) return { allowed: true, text: null, input }
    if (texts.length === 0) texts.push(NOT_MASKABLE)
    for (const { verdict, named, index } of verdicts) {
      if (!verdict.allowed) continue
      const { callId } = verdict
      const denied = { callId, outcome: 'denied', error: OTHER_PART } as const
      await this.session.afterToolCall({ ...identified(call, named, index), ...denied })
    }
    // A rule may give an empty reason.
    return { allowed: false, text: joined(texts) ?? DENIED_BY_POLICY }
  }

  async #keepUsage(usage: UsageRecorded): Promise<void> {
    const said = JSON.stringify(usage)
    if (this.#used.get(usage.evaluation_id) === said) return
    this.#used.set(usage.evaluation_id, said)
    await this.session.recordUsage(usage)
  }

  #inspects(tool: string): boolean {
    const { compiled } = this.session
    return (compiled?.rulesFor(compiled.canonicalTool(tool)).content.result.length ?? 0) > 0
  }

  /** Sequential, because a tool that changes one step builds on the previous plan. A call that ran without a decision, or against one, proves nothing. */
  #keepPlan(result: NativeResult): Promise<void> {
    const { callId, outcome } = result
    const wasAllowed = callId === undefined || isPending(this.session.state, callId)
    if (outcome !== 'success' || !wasAllowed) return Promise.resolve()
    const kept = this.#plans.then(async () => {
      const plan = this.#names().readPlan(result, this.session.state.plan?.steps ?? [])
      if (plan !== null) await this.session.updatePlan(plan)
    })
    this.#plans = kept.catch(() => undefined)
    return kept
  }
}

/** Call of one part. All parts have the call's id, followed by a number from the second part on. */
function identified(
  { tool, callId, agent }: NativeCall,
  named: NamedCall,
  index: number,
): ToolCall {
  return {
    ...named,
    ...omitUndefined({
      nativeTool: named.tool === tool ? undefined : tool,
      callId: callId === undefined ? undefined : index === 0 ? callId : `${callId}#${index + 1}`,
      agent,
    }),
  }
}

/** Masked arguments without those that were only added for rules; null: the tool's own ones cannot be told from them. */
function restoreInput(
  input: unknown,
  named: unknown,
  masked: JsonObject | undefined,
): JsonObject | null {
  if (masked === undefined) return null
  if (named === input) return masked
  if (!isJsonObject(input) || !isJsonObject(named)) return null
  const own: [string, JsonValue][] = []
  for (const [name, value] of Object.entries(input)) {
    const entry = masked[name]
    if (named[name] !== value || entry === undefined) return null
    own.push([name, entry])
  }
  return Object.fromEntries(own)
}

/** The result of a call that could not be recorded was not inspected. */
function withholdAll({ compiled }: GuardedSession, { error }: NativeResult): Replacement | null {
  if (compiled?.content.some(replacesResult) !== true) return null
  return { output: NOT_INSPECTED, ...omitUndefined({ error: error && NOT_INSPECTED }) }
}

const NOT_INSPECTED = 'Result withheld: it could not be inspected.'

function joined(texts: readonly (string | null)[]): string | null {
  return texts.filter(Boolean).join('\n\n') || null
}

export function profileOptions(profile: HarnessProfile): SessionOptions {
  const { name, version, capabilities, plainFeedback = false } = profile
  return {
    channel: capabilities.inject,
    plainFeedback,
    capabilities,
    harness: { name, ...omitUndefined({ version }) },
  }
}
