// Finds the steps that would allow a denied call: one step for everything that its denying rules miss. Pure.
import type { ConfigDocument } from '../../kinds/config.ts'
import { placeDocument } from '../../kinds/placed.ts'
import type { PolicyDocument } from '../../kinds/policies.ts'
import type { RuleResult, ToolDecision } from '../../model/effect.ts'
import type { JsonValue } from '../../model/json.ts'

export interface AllowStep {
  readonly rule: string
  /** A sentence with the verb first; Markdown code spans mark names. */
  readonly text: string
  readonly owner: 'agent' | 'operator' | 'config'
  /** The call after which it would be allowed, as a line: `read_file src/tax.py`; null: no call does it. */
  readonly call: string | null
}

type PolicyOf = (rule: string) => PolicyDocument | undefined

function names(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function firstReadingTool(policy: PolicyDocument | undefined): string | null {
  return policy !== undefined && 'read_tools' in policy ? (policy.read_tools[0] ?? null) : null
}

function readingTools(policy: PolicyDocument | undefined): string {
  if (policy === undefined || !('read_tools' in policy)) return 'a reading tool'
  return policy.read_tools.map((tool) => `\`${tool}\``).join(' or ')
}

type Step = Omit<AllowStep, 'rule'>

function readStep(result: RuleResult, findPolicy: PolicyOf, again: string): Step {
  const path = String(result.params['path'] ?? '')
  const policy = findPolicy(result.rule)
  const tool = firstReadingTool(policy)
  return {
    text: `Read \`${path}\`${again} with ${readingTools(policy)}`,
    owner: 'agent',
    call: tool === null ? null : `${tool} ${path}`,
  }
}

const step = (owner: Step['owner'], text: string): readonly Step[] => [{ text, owner, call: null }]

function fileSteps(result: RuleResult, findPolicy: PolicyOf): readonly Step[] | null {
  const path = `\`${String(result.params['path'] ?? '')}\``
  switch (result.code) {
    case 'file.not_read':
      return [readStep(result, findPolicy, '')]
    case 'file.changed':
      return [readStep(result, findPolicy, ' again')]
    case 'file.is_directory':
      return step('agent', `Name a file instead of the directory ${path}`)
    case 'file.outside_workspace':
      return step('agent', `Write to a file inside the workspace instead of ${path}`)
    case 'file.existence_unknown':
      return step('operator', `Make ${path} visible to the runtime`)
    case 'file.behind_link':
      return step('agent', `Give ${path} without '..'`)
    case 'file.too_many_paths':
      return step('agent', `Write at most ${String(result.params['most'])} files in one call`)
    case 'arguments.not_an_object':
      return step('agent', 'Give the arguments as an object')
    case 'file.path_hidden':
      return step('config', 'Stop redacting the path argument')
    default:
      return null
  }
}

function listAllowSteps(result: RuleResult, findPolicy: PolicyOf): readonly Step[] {
  const rule = `\`${result.rule}\``
  switch (result.code) {
    case 'sequential.missing':
      return names(result.params['missing']).map((tool) => ({
        text: `Run \`${tool}\` until it succeeds`,
        owner: 'agent',
        call: tool,
      }))
    case 'rate.exceeded':
      return step(
        'agent',
        `Wait until fewer calls lie within ${String(result.params['per_seconds'])} s`,
      )
    case 'approval.denied':
    case 'approval.timed_out':
      return step('operator', 'Approve the call when it is asked for again')
    case 'approval.unavailable':
      return step('operator', 'Connect the runtime, so that a person can be asked')
    case 'expression.denies':
      return step('config', `Make the call otherwise, or change the condition of ${rule}`)
    case 'custom.denies':
      return step('operator', `Do what ${rule} asks for, or change its code`)
    default:
      return fileSteps(result, findPolicy) ?? step('operator', `Mend or change the rule ${rule}`)
  }
}

/** Empty when the call was allowed. `document`: that governed the call; null: it is not known here. */
export function allowSteps(
  decision: ToolDecision,
  document: ConfigDocument | null,
): readonly AllowStep[] {
  const known = document === null ? [] : placeDocument(document).policies
  const findPolicy: PolicyOf = (rule) => known.find(({ item }) => item.id === rule)?.item
  return decision.rules
    .filter(({ mode, result }) => mode === 'enforce' && result !== 'allow')
    .flatMap((result) =>
      listAllowSteps(result, findPolicy).map((step) => ({ rule: result.rule, ...step })),
    )
}
