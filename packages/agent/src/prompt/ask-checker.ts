// For tests, and for checkers that combine others.
import {
  type CompiledConfig,
  type EventOf,
  initialState,
  SEMANTICS,
  type SessionEvent,
  type SessionState,
  step,
} from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked } from '@signalbox/core/lint'
import { GuardrailError } from '@signalbox/runtime/base'
import { DEFAULT_ANSWER_MS, FactFinder, redactor } from '@signalbox/runtime/facts'
import { Plan, ToolInvoked } from '../state/built-in-slices.ts'
import { checkerDocument, type DeclaredChecker } from './checker-declaration.ts'
import { type TaskCompletionContext, TaskCompletionResult } from './completion.ts'
import { createCustomRules, type RuleHost } from './custom-answers.ts'
import { planSource } from './plan-source.ts'
import { RuleScribe } from './rule-scribe.ts'

type Draft = Pick<SessionEvent, 'type' | 'data'>

/** Rejects with GuardrailError `prompt_invalid` if the checker cannot be compiled. */
export async function askChecker(
  checker: DeclaredChecker,
  context: TaskCompletionContext,
): Promise<TaskCompletionResult> {
  const scribe = new RuleScribe([])
  const document = checkerDocument(checker, scribe)
  const custom = createCustomRules(scribe, () => createAskHost(context))
  const compiled = compileChecked(
    { schema_version: 1, ns: 'one', key: 'checker', task_completion_checker: document },
    { expressions: celExpressions(), customTypes: Object.keys(custom.checkers ?? {}) },
  )
  if (!compiled.ok) throw new GuardrailError('prompt_invalid', describeFirst(compiled.problems))
  const { config } = compiled
  const state = drafts(context, scribe).reduce<SessionState>(
    (before, draft) => step(config, before, toCheckerEvent(draft, before.seq + 1)).state,
    { ...initialState(config.promptName), semantics: SEMANTICS },
  )
  const { filesystem, adapter = null } = context
  const files = { lookUp: async (path: string) => filesystem?.stat(path) ?? NOTHING_KNOWN }
  const finder = new FactFinder({
    config,
    custom,
    judge: adapter,
    files,
    redact,
    report: ignore,
    answerMs: DEFAULT_ANSWER_MS,
  })
  const event = await finder.complete(state, toStopAttempt(context, state.seq + 1))
  return computeCheckerResult(config, state, event)
}

function createAskHost(context: TaskCompletionContext): RuleHost {
  const refuse = () => {
    throw new Error('Only checkers can be evaluated outside a run.')
  }
  return {
    policyCall: refuse,
    policyContext: refuse,
    feedbackContext: refuse,
    checkContext: () => context,
  }
}

const NOTHING_KNOWN = { exists: 'unknown' } as const
const redact = redactor([], [])
const ignore = () => undefined

function describeFirst(problems: readonly { readonly message: string }[]): string {
  return problems[0]?.message ?? 'The checker cannot be used.'
}

function drafts({ session }: TaskCompletionContext, { plans }: RuleScribe): readonly Draft[] {
  const calls = session.slice(ToolInvoked).all().flatMap(toCallDrafts)
  const sources = plans.size === 0 ? [planSource(Plan)] : [...plans.values()]
  const plan = sources.flatMap((source): Draft[] => {
    const latest = source.latest(session)
    return latest === null ? [] : [{ type: 'plan.updated', data: { steps: latest.steps } }]
  })
  return [...calls, ...plan]
}

function toCallDrafts({ callId, tool, outcome }: ToolInvoked): Draft[] {
  const call = { call_id: callId, tool }
  return [
    { type: 'tool.requested', data: { ...call, args: {} } },
    { type: 'tool.invoked', data: { ...call, outcome } },
  ]
}

function toCheckerEvent(draft: Draft, seq: number): SessionEvent {
  // Each draft above pairs a type with its own data, which the generic union cannot express.
  return { session: 'sess_one', seq, at: 0, ...draft } as SessionEvent
}

function toStopAttempt(
  { tentativeOutput, via = 'turn_end', stopReason }: TaskCompletionContext,
  seq: number,
): EventOf<'stop.attempted'> {
  const output = tentativeOutput === undefined ? {} : { output: redact(tentativeOutput) }
  const reason = stopReason === undefined ? {} : { stop_reason: stopReason }
  const data = { via, ...output, ...reason }
  return { session: 'sess_one', seq, at: 0, type: 'stop.attempted', data }
}

function computeCheckerResult(
  config: CompiledConfig,
  state: SessionState,
  event: SessionEvent,
): TaskCompletionResult {
  const { effects } = step(config, state, event)
  const decided = effects.find((effect) => effect.kind === 'stop.decided')
  if (decided === undefined) throw new Error('Core did not decide the stop.')
  const { verdict, message, check } = decided.data
  return verdict === 'allowed'
    ? TaskCompletionResult.ok(check?.feedback ?? null)
    : TaskCompletionResult.incomplete(message)
}
