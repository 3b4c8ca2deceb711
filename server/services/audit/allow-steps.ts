// What would let a denied call through: one step for everything that its denying rules miss. Pure.
import type { JsonValue, PolicyDocument, RuleResult, ToolDecision } from '@signalbox/core'

export interface AllowStep {
  readonly rule: string
  /** A sentence with the verb first; Markdown code spans mark names. */
  readonly text: string
  readonly owner: 'agent' | 'operator'
}

type PolicyOf = (rule: string) => PolicyDocument | undefined

function names(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function readingTools(policy: PolicyDocument | undefined): string {
  if (policy === undefined || !('read_tools' in policy)) return 'a reading tool'
  return policy.read_tools.map((tool) => `\`${tool}\``).join(' or ')
}

function stepsOf(result: RuleResult, policyOf: PolicyOf): readonly Omit<AllowStep, 'rule'>[] {
  const path = `\`${String(result.params['path'] ?? '')}\``
  switch (result.code) {
    case 'sequential.missing':
      return names(result.params['missing']).map((tool) => ({
        text: `Run \`${tool}\` until it succeeds`,
        owner: 'agent',
      }))
    case 'file.not_read':
      return [{ text: `Read ${path} with ${readingTools(policyOf(result.rule))}`, owner: 'agent' }]
    case 'file.changed':
      return [
        { text: `Read ${path} again with ${readingTools(policyOf(result.rule))}`, owner: 'agent' },
      ]
    case 'file.is_directory':
      return [{ text: `Name a file instead of the directory ${path}`, owner: 'agent' }]
    case 'file.outside_workspace':
      return [{ text: `Write to a file inside the workspace instead of ${path}`, owner: 'agent' }]
    case 'file.existence_unknown':
      return [{ text: `Make ${path} visible to the runtime`, owner: 'operator' }]
    case 'file.path_hidden':
      return [{ text: 'Stop redacting the path argument in the config', owner: 'operator' }]
    default:
      return [{ text: `Mend or change the rule \`${result.rule}\``, owner: 'operator' }]
  }
}

/** Empty when the call was allowed. */
export function allowSteps(decision: ToolDecision, policyOf: PolicyOf): readonly AllowStep[] {
  return decision.rules
    .filter(({ mode, result }) => mode === 'enforce' && result !== 'allow')
    .flatMap((result) => stepsOf(result, policyOf).map((step) => ({ rule: result.rule, ...step })))
}
