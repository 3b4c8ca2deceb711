import type { Problem } from '../../model/problem.ts'
import { warning } from '../place.ts'
import { conditionPointer, type ExpressionPolicyDocument, readCondition } from './expression.ts'
import type { PolicyForm, PolicyPlace } from './policy-rule.ts'

export const expressionForm: PolicyForm<ExpressionPolicyDocument> = {
  label: 'Expression',
  // The empty condition cannot be published. Any example would deny calls that no one chose to deny.
  sample: { id: 'condition', type: 'expression', deny_when: '' },
  form: [
    {
      control: 'text',
      field: 'deny_when',
      label: 'Deny when',
      isLong: true,
      placeholder: "args.command.startsWith('rm ')",
      hint: 'CEL over tool, args, calls and session. Fill in either this or Require.',
    },
    {
      control: 'text',
      field: 'require',
      label: 'Require',
      isLong: true,
      placeholder: 'calls.run_tests.succeeded > 0',
    },
    { control: 'names', field: 'tools', label: 'Tools', hint: 'Leave empty for all tools' },
    {
      control: 'text',
      field: 'reason',
      label: 'Message to the agent',
      placeholder: 'Denied by policy.',
    },
  ],
  advice: sessionConditions,
  blindSpots: finishedCalls,
}

/** Conditions on the session alone deny every call or none, unless tools or a section limit them. */
function sessionConditions({
  item,
  pointer,
  section,
}: PolicyPlace<ExpressionPolicyDocument>): readonly Problem[] {
  if (section !== null || item.tools !== undefined || (item.mode ?? 'enforce') !== 'enforce') {
    return []
  }
  const { source, mustHold } = readCondition(item)
  if (!readsOnlySession(source)) return []
  const message = `This condition reads only session, so ${mustHold ? 'while it does not hold' : 'once it holds'} every call of every tool is denied. Limit the rule with tools, read tool or args, or try it with mode "shadow".`
  return [warning(conditionPointer(item, pointer), 'denies_every_tool', message)]
}

const STRINGS_AND_COMMENTS =
  /\/\/[^\n]*|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g

/** Matches variable names, but not fields with the same name. */
const VARIABLES = /(?<![.\w]\s*)\b(?:tool|args|calls|session)\b/g

function readsOnlySession(source: string): boolean {
  const names = source.replaceAll(STRINGS_AND_COMMENTS, '').match(VARIABLES) ?? []
  return names.length > 0 && names.every((name) => name === 'session')
}

const COUNTED =
  /\bcalls(?:\.([A-Za-z0-9_]+)|\[["']([A-Za-z0-9_-]+)["']\])\.(calls|succeeded)\s*(<=?|>=?|==)/g

/** Warns about limits on finished calls: calls that are requested at the same time all see the same number of finished ones. */
function finishedCalls({
  item,
  pointer,
}: PolicyPlace<ExpressionPolicyDocument>): readonly Problem[] {
  if (item.mode === 'off') return []
  const { source, mustHold } = readCondition(item)
  for (const [, dotted, quoted, , operator] of source.matchAll(COUNTED)) {
    const tool = dotted ?? quoted ?? ''
    const isLimit = mustHold ? operator?.startsWith('<') : operator?.startsWith('>')
    const governs = item.tools === undefined || item.tools.includes(tool)
    if (isLimit !== true || !governs) continue
    const message = `calls counts calls that have finished, so several calls of ${tool} that are requested at once can pass this limit. Use a rate_limit, which counts allowed calls.`
    return [warning(conditionPointer(item, pointer), 'count_of_finished_calls', message)]
  }
  return []
}
