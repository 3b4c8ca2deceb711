// Rules in words, as the config page and the diff show them. Markdown code spans mark names.
import type {
  CheckerDocument,
  FeedbackProviderDocument,
  PolicyDocument,
  TriggerDocument,
} from './config.ts'
import { DEFAULT_WARNING_THRESHOLD_SECONDS } from './feedback/deadline.ts'
import { isKnownProvider } from './feedback/registry.ts'
import { isKnownPolicy } from './policies/registry.ts'

function names(items: readonly string[], joint: 'and' | 'or' = 'and'): string {
  const quoted = items.map((item) => `\`${item}\``)
  if (quoted.length < 2) return quoted.join('')
  return `${quoted.slice(0, -1).join(', ')} ${joint} ${quoted.at(-1) ?? ''}`
}

export function describePolicy(policy: PolicyDocument): string {
  if (!isKnownPolicy(policy)) return `Unknown type \`${policy.type}\``
  if (policy.type === 'read_before_write') {
    return `${names(policy.write_tools)} may overwrite a file only after ${names(policy.read_tools, 'or')} has read it`
  }
  const needs = Object.entries(policy.dependencies).map(([tool, needed]) =>
    needed.length === 0
      ? `\`${tool}\` needs nothing first`
      : `\`${tool}\` needs ${names(needed)} first`,
  )
  return needs.join('; ') || 'No tool has a prerequisite'
}

export function describeTrigger(trigger: TriggerDocument): string {
  const { every_n_calls: calls, every_n_seconds: seconds, on_file_created: created } = trigger
  const conditions: string[] = []
  if (calls !== undefined)
    conditions.push(calls === 1 ? 'after every call' : `every ${calls} calls`)
  if (seconds !== undefined) conditions.push(`every ${seconds} s`)
  if (created !== undefined) conditions.push(`once when \`${created.filename}\` exists`)
  return conditions.join(' or ') || 'never'
}

export function describeProvider(provider: FeedbackProviderDocument): string {
  const when = describeTrigger(provider.trigger)
  if (!isKnownProvider(provider)) return `Unknown type \`${provider.type}\`, ${when}`
  if (provider.type === 'static') return `Says “${provider.feedback}” ${when}`
  const threshold = provider.warning_threshold_seconds ?? DEFAULT_WARNING_THRESHOLD_SECONDS
  return `Tells the remaining time ${when}, as a warning in the last ${threshold} s`
}

export function describeChecker(checker: CheckerDocument): string {
  switch (checker.type) {
    case 'plan':
      return 'Every plan step is done'
    case 'files_exist':
      return `${names(checker.files)} ${checker.files.length === 1 ? 'exists' : 'exist'}`
    case 'composite': {
      const rule = (checker.all_must_pass ?? true) ? 'All of' : 'Any of'
      return `${rule}: ${checker.checkers.map(describeChecker).join('; ') || 'nothing'}`
    }
    default:
      return checker satisfies never
  }
}
