// Only this file contains names of the semantic conventions, pinned here: their `gen_ai` part is in development and may rename anything.
import type { Attributes } from '@opentelemetry/api'
import type {
  EventOf,
  FeedbackDelivered,
  JsonValue,
  StopDecision,
  ToolDecision,
  ToolOutcome,
  ToolRequested,
} from '@signalbox/core'
import type { TelemetryConfig, TelemetryStart } from './telemetry.ts'

export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0'

export interface Named {
  readonly name: string
  readonly attributes: Attributes
}

type Started = Pick<TelemetryStart, 'session' | 'prompt' | 'environment' | 'config'>

export function agentSpan({ session, prompt, config }: Started): Named {
  return {
    name: `invoke_agent ${prompt}`,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': prompt,
      'gen_ai.conversation.id': session,
      ...toRevisionAttributes(config),
    },
  }
}

export function toolSpan(
  { session, config }: Started,
  call: Pick<ToolRequested, 'call_id' | 'tool' | 'native_tool' | 'agent'>,
): Named {
  const tool = call.native_tool ?? call.tool
  return {
    name: `execute_tool ${tool}`,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': call.call_id,
      'gen_ai.conversation.id': session,
      ...toSubAgentAttributes(call.agent),
      ...toRevisionAttributes(config),
    },
  }
}

/** Opt-in: arguments of the tool, as recorded. */
export function toArgumentAttributes(args: JsonValue): Attributes {
  return { 'gen_ai.tool.call.arguments': JSON.stringify(args) }
}

/** Opt-in: result of the tool, as recorded. */
export function mapResult(output: JsonValue): Attributes {
  return { 'gen_ai.tool.call.result': JSON.stringify(output) }
}

const ERROR_OF_OUTCOME: { readonly [Result in ToolOutcome]: string | null } = {
  success: null,
  failure: 'tool_failed',
  invalid: 'tool_arguments_invalid',
  denied: 'guardrail_denied',
  // Not an error: calls of a harness that reports no outcomes would all seem to fail.
  unknown: null,
}

/** `error.type` of a finished call; null: no failure is known. */
export function mapCallError(outcome: ToolOutcome): string | null {
  return ERROR_OF_OUTCOME[outcome]
}

/** `error.type` of an ended session; null: it did not fail. An aborted session is not an error. */
export function mapSessionError(
  reason: EventOf<'session.ended'>['data']['reason'],
  overridden: boolean,
): string | null {
  if (reason === 'failed') return 'session_failed'
  return overridden ? 'completion_overridden' : null
}

export function errorAttribute(type: string): Attributes {
  return { 'error.type': type }
}

/** One event for an allowed call. For a denied one an event per rule that denied it, or a single event if no rule could be evaluated. */
export function decisionEvents({ config }: Started, decision: ToolDecision): readonly Named[] {
  const rules = decision.decision === 'allowed' ? [] : decision.rules.filter(isDenial)
  const said = rules.map((rule) => ({
    'guardrail.policy.id': rule.rule,
    'guardrail.decision': rule.result === 'error' ? 'error' : 'denied',
    'guardrail.reason.code': rule.code,
  }))
  const events = said.length === 0 ? [{ 'guardrail.decision': decision.decision }] : said
  return events.map((attributes) => ({
    name: 'guardrail.decision',
    attributes: { ...attributes, ...toVersionAttributes(config) },
  }))
}

function isDenial({ mode, result }: ToolDecision['rules'][number]): boolean {
  return mode === 'enforce' && result !== 'allow'
}

/** null: the agent did not receive the feedback, because the provider is in shadow mode or the harness cannot deliver it. */
export function feedbackEvent(
  { config }: Started,
  { provider, call_id, delivery }: FeedbackDelivered,
): Named | null {
  if (delivery === 'none') return null
  const attributes = {
    'guardrail.policy.id': provider,
    'gen_ai.tool.call.id': call_id,
    ...toVersionAttributes(config),
  }
  return { name: 'guardrail.feedback', attributes }
}

export interface Stop {
  readonly decision: StopDecision
  /** Id of the sub-agent that wants to stop; undefined: the main agent. */
  readonly agent: string | undefined
  /** True: texts that quote the agent may be exported. */
  readonly content: boolean
}

/** Only a task that was found complete passes. null: nothing was evaluated. Texts for the agent need `content`, because they may quote plans and outputs. */
export function evaluationEvent({ config }: Started, stop: Stop): Named | null {
  const { verdict, code, message, check } = stop.decision
  if (verdict === 'no_checker') return null
  const attributes = {
    'gen_ai.evaluation.name': 'task_completion',
    'gen_ai.evaluation.score.label': verdict === 'allowed' ? 'pass' : 'fail',
    'gen_ai.evaluation.explanation': (stop.content ? message : null) ?? code,
    ...(check === null ? {} : { 'guardrail.policy.id': check.checker }),
    'guardrail.decision': verdict,
    'guardrail.reason.code': code,
    ...toSubAgentAttributes(stop.agent),
    ...toVersionAttributes(config),
  }
  return { name: 'gen_ai.evaluation.result', attributes }
}

export function appliedEvent(
  started: Started,
  { digest, revision }: EventOf<'config.applied'>['data'],
): Named {
  return flagEvent(started, {
    'feature_flag.result.variant': digest,
    'feature_flag.result.reason': revision === undefined ? 'default' : 'static',
    ...(started.config?.version == null
      ? {}
      : { 'feature_flag.version': String(started.config.version) }),
  })
}

export function rejectedEvent(started: Started): Named {
  return flagEvent(started, {
    'feature_flag.result.reason': 'error',
    ...errorAttribute('config_rejected'),
  })
}

function flagEvent({ prompt, environment }: Started, attributes: Attributes): Named {
  return {
    name: 'feature_flag.evaluation',
    attributes: {
      'feature_flag.key': prompt,
      'feature_flag.set.id': environment,
      'feature_flag.provider.name': 'signalbox',
      ...attributes,
    },
  }
}

export function mapUsage(tokens: { readonly input: number; readonly output: number }): Attributes {
  return {
    'gen_ai.usage.input_tokens': tokens.input,
    'gen_ai.usage.output_tokens': tokens.output,
  }
}

function toRevisionAttributes(config: TelemetryConfig | null): Attributes {
  return config === null || config.revision === null
    ? {}
    : { 'guardrail.config.revision': config.revision }
}

/** A config that is not published has no number, so its digest identifies it. */
function toVersionAttributes(config: TelemetryConfig | null): Attributes {
  return config === null
    ? {}
    : { 'guardrail.policy.version': config.version === null ? config.digest : `${config.version}` }
}

function toSubAgentAttributes(agent: string | undefined): Attributes {
  return agent === undefined ? {} : { 'gen_ai.agent.id': agent }
}
