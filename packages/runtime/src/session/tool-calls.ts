// Each step records its result; the caller keeps their order.

import {
  type ApprovalRequest,
  DENIED_BY_POLICY,
  type Effect,
  isJsonObject,
  type JsonObject,
  omitUndefined,
  type ToolDecision,
} from '@signalbox/core'
import type { Redact } from '@signalbox/wire'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import { type ApprovalOutcome, type ApprovalSource, awaitApproval } from '../facts/approvals.ts'
import { redactedArgs } from '../facts/redact.ts'
import type { ContentGuard } from './content-guard.ts'
import { type DeliveryParts, deliverFeedback } from './feedback-delivery.ts'
import { recordableText } from './recordable.ts'
import type { CallVerdict, FinishedCall, ToolCall, ToolCallResult } from './session-answers.ts'

export interface ToolCallParts extends DeliveryParts {
  readonly id: string
  readonly refusal: string
  readonly redact: Redact
  readonly content: ContentGuard
  /** null: no one can be asked, so calls that need approval are denied. */
  readonly approvals: ApprovalSource | null
  /** Longest wait for an approval in this harness, milliseconds; null: no limit. */
  readonly approvalLimitMs: number | null
  readonly now: () => number
  readonly report: OnDiagnostic
}

interface JudgedRequest extends ToolCall {
  /** Masked arguments. Absent: the given ones. */
  readonly replaced?: JsonObject
}

interface AskedCall {
  readonly question: ApprovalRequest
  readonly seq: number
  /** Arguments as recorded. */
  readonly args: JsonObject
  readonly call: JudgedRequest
}

interface Endings {
  /** Aborts when the session ends: new calls are refused, and waits for approval end. */
  readonly over: AbortSignal
  /** Aborts when a person ends the session: waits for approval end. */
  readonly halted: AbortSignal
}

const ENDED = 'The session has ended.'
const HALTED = 'A person ended the session.'
const NOT_DECIDED = 'The guardrails could not decide this call, so it is denied.'

export class ToolCalls {
  readonly #parts: ToolCallParts
  readonly #endings: Endings

  constructor(parts: ToolCallParts, endings: Endings) {
    this.#parts = parts
    this.#endings = endings
  }

  async request(call: ToolCall, callId: string): Promise<CallVerdict | AskedCall> {
    const { log, redact, content } = this.#parts
    const { args, isChanged, facts } = await content.inspectCall(call)
    if (this.#endings.over.aborted) return refused(call.tool, callId, ENDED)
    const data = {
      call_id: callId,
      tool: call.tool,
      args: redactedArgs(redact, args),
      ...(facts === null ? {} : { facts: { content: facts } }),
      ...omitUndefined({ native_tool: call.nativeTool }),
      ...toAgentField(call),
    }
    const effects = await log.ask('tool.requested', data, args)
    const judged = isChanged && isJsonObject(args) ? { ...call, replaced: args } : call
    const waiting = effects.find((effect) => effect.kind === 'approval.requested')
    if (waiting === undefined) return this.#conclude(judged, callId, effects)
    log.record('approval.requested', waiting.data)
    return { question: waiting.data, seq: log.seq, args: data.args, call: judged }
  }

  /** Waits for the answer to the request. Never rejects. */
  async requestApproval({ question, seq, args }: AskedCall): Promise<ApprovalOutcome> {
    const { over, halted } = this.#endings
    const { approvals, approvalLimitMs, now, id, report } = this.#parts
    const { call_id: callId, tool, rules, expires_at: expiresAt } = question
    const left = expiresAt - now()
    const isCut = approvalLimitMs !== null && approvalLimitMs < left
    const timeLeftMs = isCut ? approvalLimitMs : left
    const pending = { session: id, seq, callId, tool, args, rules, expiresAt, timeLeftMs }
    const outcome = await awaitApproval(pending, {
      source: approvals,
      cutBy: isCut
        ? `The harness waits at most ${Math.round(approvalLimitMs / 1000)} s for an answer.`
        : null,
      over: AbortSignal.any([over, halted]),
      onFailure: (error) =>
        report({ level: 'error', code: 'approval_not_asked', message: describeError(error) }),
    })
    return halted.aborted ? { decision: 'unavailable', note: HALTED } : outcome
  }

  async settle(
    call: JudgedRequest,
    callId: string,
    outcome: ApprovalOutcome,
  ): Promise<CallVerdict> {
    if (this.#endings.over.aborted) return refused(call.tool, callId, ENDED)
    const answer = { call_id: callId, ...outcome }
    return this.#conclude(call, callId, this.#parts.log.record('approval.decided', answer))
  }

  async #conclude(
    call: JudgedRequest,
    callId: string,
    effects: readonly Effect[],
  ): Promise<CallVerdict> {
    const { log, refusal } = this.#parts
    const effect = effects.find((candidate) => candidate.kind === 'tool.decided')
    // Without an effect, another call took the id of this one while it waited for approval.
    const reason = log.config === null ? refusal : NOT_DECIDED
    const decision = effect === undefined ? toErrorDecision(call.tool, callId, reason) : effect.data
    log.record('tool.decided', decision)
    if (decision.decision === 'allowed') {
      const args = omitUndefined({ args: call.replaced })
      return { allowed: true, reason: null, callId, feedback: null, decision, ...args }
    }
    const ended = {
      call_id: callId,
      tool: call.tool,
      outcome: 'denied' as const,
      ...toAgentField(call),
    }
    const said = await log.ask('tool.invoked', ended)
    const feedback = deliverFeedback(said, { ...this.#parts, channel: 'in_result' })
    const { reason: given } = decision
    return { allowed: false, reason: given ?? DENIED_BY_POLICY, callId, feedback, decision }
  }

  async finish(result: ToolCallResult, callId: string): Promise<FinishedCall> {
    const { log, redact, content } = this.#parts
    const { output, error, replaced, facts } = await content.inspectResult(result)
    const effects = await log.ask('tool.invoked', {
      call_id: callId,
      tool: result.tool,
      outcome: result.outcome,
      ...omitUndefined({
        output: output === undefined ? undefined : redact(output),
        error: error === undefined ? undefined : recordableText(error, redact),
        facts: facts === null ? undefined : { content: facts },
        duration_ms: result.durationMs,
      }),
      ...toAgentField(result),
    })
    const decision = effects.find((effect) => effect.kind === 'content.decided')
    if (decision !== undefined) log.record('content.decided', decision.data)
    return { feedback: deliverFeedback(effects, this.#parts), replaced }
  }

  /** Its result could not be recorded, so its outcome is unknown, and earlier results of the tool no longer satisfy any rule. */
  lost(result: ToolCallResult, callId: string): () => void {
    const ended = {
      call_id: callId,
      tool: result.tool,
      outcome: 'unknown' as const,
      error: 'The result could not be recorded.',
      ...toAgentField(result),
    }
    return () => {
      const effects = this.#parts.log.record('tool.invoked', ended)
      deliverFeedback(effects, { ...this.#parts, channel: 'none' })
    }
  }
}

export function undecided({ tool }: ToolCall, callId: string): CallVerdict {
  return refused(tool, callId, NOT_DECIDED)
}

function toErrorDecision(tool: string, callId: string, reason: string): ToolDecision {
  return { call_id: callId, tool, decision: 'error', reason, rules: [] }
}

function refused(tool: string, callId: string, reason: string): CallVerdict {
  const decision = toErrorDecision(tool, callId, reason)
  return { allowed: false, reason, callId, feedback: null, decision }
}

function toAgentField({ agent }: ToolCall): { readonly agent?: string } {
  return agent === undefined ? {} : { agent }
}
