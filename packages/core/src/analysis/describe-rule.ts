// Rules in words, as the config page and the diff show them. Markdown code spans mark names.
import { DEFAULT_WARNING_THRESHOLD_SECONDS } from '../kinds/feedback/deadline.ts'
import { DEFAULT_TIMES } from '../kinds/feedback/provider.ts'
import { DEFAULT_MAX_CALLS } from '../kinds/feedback/tool-usage.ts'
import { type FeedbackProviderDocument, isKnownProvider } from '../kinds/feedback.ts'
import {
  isKnownPolicy,
  type KnownPolicyDocument,
  POLICY_WORDS,
  type PolicyDocument,
} from '../kinds/policies.ts'
import { callsOf, type RuleWords } from '../kinds/rule-words.ts'
import { plural } from '../model/count-text.ts'
import type { TriggerDocument } from '../model/trigger.ts'

/** What the rule does, in one sentence. */
export function describePolicy(policy: PolicyDocument): string {
  if (!isKnownPolicy(policy)) {
    return `Custom type \`${policy.type}\` decides ${callsOf(policy.tools)}`
  }
  const words: Pick<RuleWords<KnownPolicyDocument>, 'describe'> = POLICY_WORDS[policy.type]
  return words.describe(policy)
}

/** When a provider speaks. */
export function describeTrigger(trigger: TriggerDocument): string {
  const { every_n_calls: calls, every_n_seconds: seconds, on_file_created: created } = trigger
  const conditions: string[] = []
  if (calls !== undefined)
    conditions.push(calls === 1 ? 'after every call' : `every ${plural(calls, 'call')}`)
  if (seconds !== undefined) conditions.push(`every ${seconds} s`)
  if (created !== undefined) conditions.push(`once when \`${created.filename}\` exists`)
  return conditions.join(' or ') || 'never'
}

/** What the provider says, and when. */
export function describeProvider(provider: FeedbackProviderDocument): string {
  const when = describeTrigger(provider.trigger)
  if (!isKnownProvider(provider)) return `Custom type \`${provider.type}\` speaks ${when}`
  switch (provider.type) {
    case 'static':
      return `Says “${provider.feedback}” ${when}`
    case 'deadline': {
      const threshold = provider.warning_threshold_seconds ?? DEFAULT_WARNING_THRESHOLD_SECONDS
      return `Tells the remaining time ${when}, as a warning in the last ${threshold} s`
    }
    case 'tool_usage': {
      const most = provider.max_calls_without_progress ?? DEFAULT_MAX_CALLS
      return `Tells the number of calls ${when}, as a caution above ${most}`
    }
    case 'repeated_failure': {
      const which = provider.tool === undefined ? 'a tool' : `\`${provider.tool}\``
      return `Warns ${when} that ${which} did not succeed ${provider.times ?? DEFAULT_TIMES} times in a row`
    }
    case 'repeated_call':
      return `Warns ${when} that one call was made ${provider.times ?? DEFAULT_TIMES} times in a row`
    default:
      return provider satisfies never
  }
}
