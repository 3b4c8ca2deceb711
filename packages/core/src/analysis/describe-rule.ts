// Rules in words, as the config page and the diff show them. Markdown code spans mark names.
import type { CheckerDocument } from '../kinds/checkers.ts'
import { isKnownChecker } from '../kinds/checkers.ts'
import { DEFAULT_WARNING_THRESHOLD_SECONDS } from '../kinds/feedback/deadline.ts'
import { DEFAULT_TIMES } from '../kinds/feedback/provider.ts'
import { DEFAULT_MAX_CALLS } from '../kinds/feedback/tool-usage.ts'
import type { FeedbackProviderDocument } from '../kinds/feedback.ts'
import { isKnownProvider } from '../kinds/feedback.ts'
import type { SequentialDependencyDocument } from '../kinds/policies/sequential-dependency.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import { isKnownPolicy } from '../kinds/policies.ts'
import type { TriggerDocument } from '../model/trigger.ts'
import { countText, plural } from './count-text.ts'

function names(items: readonly string[], joint: 'and' | 'or' = 'and'): string {
  const quoted = items.map((item) => `\`${item}\``)
  if (quoted.length < 2) return quoted[0] ?? 'no tool'
  return `${quoted.slice(0, -1).join(', ')} ${joint} ${quoted.at(-1) ?? ''}`
}

/** What the rule does, in one sentence. */
export function describePolicy(policy: PolicyDocument): string {
  if (!isKnownPolicy(policy)) return `Custom type \`${policy.type}\` decides ${calls(policy.tools)}`
  switch (policy.type) {
    case 'read_before_write':
      return `${names(policy.write_tools)} may overwrite a file only after ${names(policy.read_tools, 'or')} has read it`
    case 'sequential_dependency':
      return describeDependencies(policy)
    case 'rate_limit':
      return `At most ${plural(policy.max_calls, 'call')} of ${names(policy.tools, 'or')} in ${countText(policy.per_seconds)} s`
    case 'approval':
      return `A person approves ${calls(policy.tools)} within ${policy.timeout_seconds} s`
    case 'expression':
      return policy.deny_when === undefined
        ? `Allows ${calls(policy.tools)} only when \`${policy.require ?? ''}\``
        : `Denies ${calls(policy.tools)} when \`${policy.deny_when}\``
    default:
      return policy satisfies never
  }
}

/** Absent: every tool. */
function calls(tools: readonly string[] | undefined): string {
  return tools === undefined ? 'every call' : `calls of ${names(tools, 'or')}`
}

function describeDependencies({ dependencies }: SequentialDependencyDocument): string {
  const needs = Object.entries(dependencies).map(([tool, needed]) =>
    needed.length === 0
      ? `\`${tool}\` needs nothing first`
      : `\`${tool}\` needs ${names(needed)} first`,
  )
  return needs.join('; ') || 'No tool has a prerequisite'
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

/** What must be true for the check to pass, in one sentence. */
export function describeChecker(checker: CheckerDocument): string {
  if (!isKnownChecker(checker)) return `Custom type \`${checker.type}\` says that it is complete`
  switch (checker.type) {
    case 'plan':
      return 'Every plan step is done'
    case 'files_exist':
      return `${names(checker.files)} ${checker.files.length === 1 ? 'exists' : 'exist'}`
    case 'tool_succeeded': {
      const after = checker.after ?? []
      const since = after.length === 0 ? '' : ` since the last ${names(after, 'or')}`
      return `\`${checker.tool}\` succeeded${since}`
    }
    case 'llm_judge':
      return `A model judges: ${checker.criteria}`
    case 'expression':
      return `\`${checker.require}\` is true`
    case 'composite': {
      const rule = (checker.all_must_pass ?? true) ? 'All of' : 'Any of'
      return `${rule}: ${checker.checkers.map(describeChecker).join('; ') || 'nothing'}`
    }
    default:
      return checker satisfies never
  }
}
