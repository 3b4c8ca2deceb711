import type { JsonObject, RuleAnswer } from '@signalbox/core'
import type {
  CheckQuestion,
  CustomRules,
  FeedbackQuestion,
  PolicyQuestion,
  RuleContext,
} from '@signalbox/runtime'
import type { TaskCompletionChecker, TaskCompletionContext } from './completion.ts'
import type { FeedbackContext } from './feedback-context.ts'
import type { FeedbackProvider } from './feedback-provider.ts'
import type { CustomRule, RuleScribe } from './rule-scribe.ts'
import type { PolicyCall, PolicyContext, ToolPolicy } from './tool-policy.ts'

export interface RuleHost {
  policyCall(question: PolicyQuestion): PolicyCall
  policyContext(question: PolicyQuestion): PolicyContext
  feedbackContext(question: FeedbackQuestion): FeedbackContext
  checkContext(question: CheckQuestion): TaskCompletionContext
}

/** `findHost` throws if the session is not known, which denies the call. */
export function createCustomRules(
  scribe: RuleScribe,
  findHost: (session: string) => RuleHost,
): CustomRules {
  return {
    policies: byType(scribe.policies, (find) => async (question: PolicyQuestion) => {
      const host = findHost(question.session)
      return policyAnswer(find(question), host.policyCall(question), host.policyContext(question))
    }),
    providers: byType(
      scribe.providers,
      (find) => async (question: FeedbackQuestion) =>
        feedbackAnswer(find(question), findHost(question.session).feedbackContext(question)),
    ),
    checkers: byType(
      scribe.checkers,
      (find) => async (question: CheckQuestion) =>
        checkAnswer(find(question), findHost(question.session).checkContext(question)),
    ),
  }
}

interface Described {
  readonly schema?: JsonObject
}

interface Answering<Question> {
  readonly schema?: JsonObject
  readonly answer: (question: Question) => Promise<RuleAnswer>
}

/** One entry per type. A rule id that the prompt does not declare uses the first rule of its type. */
function byType<Rule extends Described, Question extends RuleContext>(
  rules: ReadonlyMap<string, CustomRule<Rule>>,
  createAnswer: (
    find: (question: RuleContext) => Rule,
  ) => (question: Question) => Promise<RuleAnswer>,
): { readonly [type: string]: Answering<Question> } {
  const types: { [type: string]: Answering<Question> } = {}
  for (const { type, rule: first } of rules.values()) {
    if (Object.hasOwn(types, type)) continue
    const schema = first.schema === undefined ? {} : { schema: first.schema }
    const find = ({ rule: id }: RuleContext) => rules.get(id)?.rule ?? first
    types[type] = { ...schema, answer: createAnswer(find) }
  }
  return types
}

async function policyAnswer(
  policy: ToolPolicy,
  call: PolicyCall,
  context: PolicyContext,
): Promise<RuleAnswer> {
  const { allowed, reason } = await policy.check(call, context)
  return { kind: 'policy', allow: allowed, ...(reason ? { reason } : {}) }
}

async function feedbackAnswer(
  provider: FeedbackProvider,
  context: FeedbackContext,
): Promise<RuleAnswer> {
  if ((await provider.shouldRun?.(context)) === false) return { kind: 'feedback', advice: null }
  const {
    providerName: name,
    severity,
    summary,
    observations,
    suggestions,
  } = await provider.provide(context)
  return { kind: 'feedback', advice: { name, severity, summary, observations, suggestions } }
}

async function checkAnswer(
  checker: TaskCompletionChecker,
  context: TaskCompletionContext,
): Promise<RuleAnswer> {
  const { complete, feedback } = await checker.check(context)
  return { kind: 'check', complete, ...(feedback ? { feedback } : {}) }
}
