import { type JsonObject, omitUndefined, type ToolOutcome } from '@signalbox/core'
import type { HarnessSession, HarnessStop } from '@signalbox/runtime/harness'
import {
  contentText,
  parseReportedUpdate,
  type ReportedUpdate,
  readOutcome,
} from './acp-messages.ts'
import { nativeName, planIn } from './acp-tools.ts'

interface OpenCall {
  reported: ReportedUpdate
  readonly tool: string
  wasAsked: boolean
}

export class AcpSession {
  readonly harness: HarnessSession
  readonly #cwd: string
  readonly #calls = new Map<string, OpenCall>()
  readonly #recording = new Set<Promise<unknown>>()
  /** Reasons of denials since the agent's last prompt. The protocol has no field for them, so the next prompt carries them. */
  #denials: string[] = []
  #said = ''

  constructor(harness: HarnessSession, cwd: string) {
    this.harness = harness
    this.#cwd = cwd
  }

  promptStarted(): void {
    this.harness.runStarted()
    this.#denials = []
    this.#said = ''
  }

  /** Processes a `session/update`. Its effects are recorded before the next stop. */
  updated(update: JsonObject): void {
    switch (update['sessionUpdate']) {
      case 'tool_call':
      case 'tool_call_update':
        this.#callUpdated(update)
        return
      case 'plan': {
        const plan = planIn(update['entries'])
        if (plan !== null) this.#record(this.harness.session.updatePlan(plan))
        return
      }
      case 'agent_message_chunk':
        this.#said += contentText(update['content'])
        return
      default:
    }
  }

  /** True: the agent may make this call. `toolCall`: from its request for permission. */
  async permits(toolCall: JsonObject): Promise<boolean> {
    const reported = parseReportedUpdate(toolCall, this.#cwd)
    if (reported === null) return false
    const call = this.#noted(reported)
    call.wasAsked = true
    // Updates that the agent sent before its request count, even if both arrived together.
    await Promise.all(this.#recording)
    const verdict = await this.harness.before(toAcpNativeCall(call))
    if (verdict.allowed) return true
    this.#calls.delete(reported.callId)
    this.#denials.push(verdict.text)
    return false
  }

  recordEditorRefusal(callId: string): void {
    const call = this.#calls.get(callId)
    if (call !== undefined) this.#end(call, 'denied', 'Refused in the editor.')
  }

  async stop(stopReason: string): Promise<HarnessStop> {
    this.turnEnded()
    await Promise.all(this.#recording)
    const lastMessage = this.#said.trim()
    this.#said = ''
    const answer = await this.harness.stop({
      via: 'turn_end',
      stopReason,
      ...(lastMessage === '' ? {} : { lastMessage }),
    })
    const denials = this.#denials
    this.#denials = []
    if (answer.allowed) return answer
    return { allowed: false, message: [...denials, answer.message].filter(Boolean).join('\n\n') }
  }

  /** Records calls without a reported end as unknown. */
  turnEnded(): void {
    for (const call of [...this.#calls.values()]) {
      if (call.wasAsked || call.reported.status === 'in_progress') this.#end(call, 'unknown')
    }
    this.#calls.clear()
  }

  async end(reason: 'completed' | 'failed'): Promise<void> {
    this.turnEnded()
    await Promise.all(this.#recording)
    await this.harness.end({ reason })
  }

  #callUpdated(update: JsonObject): void {
    const reported = parseReportedUpdate(update, this.#cwd)
    if (reported === null) return
    const isOver = reported.status === 'completed' || reported.status === 'failed'
    const call = this.#noted(reported)
    if (isOver) this.#end(call, readOutcome(call.reported))
  }

  #noted(reported: ReportedUpdate): OpenCall {
    const known = this.#calls.get(reported.callId)
    if (known !== undefined) {
      const rawInput = { ...known.reported.rawInput, ...reported.rawInput }
      known.reported = {
        ...known.reported,
        ...reported,
        rawInput,
        text: reported.text || known.reported.text,
      }
      return known
    }
    const call = { reported, tool: nativeName(reported), wasAsked: false }
    this.#calls.set(reported.callId, call)
    return call
  }

  #end(call: OpenCall, outcome: ToolOutcome, error?: string): void {
    const { callId, rawOutput, text } = call.reported
    this.#calls.delete(callId)
    const output = rawOutput ?? (text === '' ? undefined : text)
    const failed = error ?? (outcome === 'failure' ? text || 'The tool failed.' : undefined)
    const result = {
      ...toAcpNativeCall(call),
      outcome,
      ...omitUndefined({ output, error: failed }),
    }
    // Calls without a request for permission are recorded as ones that ran without a decision.
    this.#record(this.harness.settle([result]))
  }

  #record(work: Promise<unknown>): void {
    this.#recording.add(work)
    void work.finally(() => this.#recording.delete(work))
  }
}

function toAcpNativeCall({ tool, reported: { callId, rawInput, file } }: OpenCall) {
  return { tool, input: file === undefined ? rawInput : { ...rawInput, file_path: file }, callId }
}
