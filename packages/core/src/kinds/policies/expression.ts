// The engine is in `expression/`, so that an agent without conditions does not load it.

import { pointerTo } from '../../model/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { RuleBase } from '../../model/rule.ts'
import { type Judgment, unproven } from '../base/judgment.ts'
import { warning } from '../base/place.ts'
import { step } from '../base/policy-reason.ts'
import { describeCalls, text } from '../base/rule-words.ts'
import {
  compareRest,
  compareTools,
  dropMemory,
  listedTools,
  NOTHING_TO_VIEW,
  noApproval,
  none,
  type Pair,
  type PolicyForm,
  type PolicyPlace,
  type PolicyRule,
  type PolicyWords,
} from './policy-rule.ts'

/** A CEL condition on a call; exactly one of `deny_when` and `require` is present. */
export interface ExpressionPolicyDocument extends RuleBase {
  readonly type: 'expression'
  /** Absent: every tool. */
  readonly tools?: readonly string[]
  readonly deny_when?: string
  /** Denies when false. */
  readonly require?: string
  /** Message to the agent. Absent: `Denied by policy.` */
  readonly reason?: string
}

/** Returns the condition, and true if it must hold to allow the call. A document with both conditions or neither is refused. */
export function readCondition(document: ExpressionPolicyDocument): {
  readonly source: string
  readonly mustHold: boolean
} {
  const { deny_when, require = '' } = document
  return deny_when === undefined
    ? { source: require, mustHold: true }
    : { source: deny_when, mustHold: false }
}

export function conditionPointer(document: ExpressionPolicyDocument, pointer: string): string {
  return pointerTo(pointer, readCondition(document).mustHold ? 'require' : 'deny_when')
}

export const expressionRule: PolicyRule<ExpressionPolicyDocument> = {
  governs: ({ tools }) => tools ?? 'every',
  denies: ({ tools }) => tools ?? 'every',
  toolsNamed: listedTools,
  prerequisites: none,
  deniesAlways: (document) => {
    const { source, mustHold } = readCondition(document)
    return evaluateConstant(source) === !mustHold
  },
  seesCommands: true,
  approvalSeconds: noApproval,
  errors: none,
  compare: compareExpressions,
  carryOver: dropMemory,
  needsToolOnly: false,
  view: () => NOTHING_TO_VIEW,
}

/** null: the value is not constant. */
export function evaluateConstant(source: string): boolean | null {
  const bare = source.replace(/[()\s]/g, '')
  return bare === 'true' ? true : bare === 'false' ? false : null
}

/** Two different conditions cannot be compared; only their tools can. */
function compareExpressions(pair: Pair<ExpressionPolicyDocument>): readonly Judgment[] {
  const { before, after, pointer, name } = pair
  const [was, is] = [readCondition(before), readCondition(after)]
  const same = was.source === is.source && was.mustHold === is.mustHold
  const changed = same
    ? []
    : [
        unproven(
          pointer,
          `${name} has a different condition, which may allow what the old one denied`,
        ),
      ]
  const rest = compareRest(pair, ['tools', 'deny_when', 'require', 'reason', 'optional'])
  return [...changed, ...compareTools(pair, 'judges'), ...rest]
}

export const expressionWords: PolicyWords<ExpressionPolicyDocument> = {
  describe: ({ tools, deny_when, require = '' }) =>
    deny_when === undefined
      ? `Allows ${describeCalls(tools)} only when \`${require}\``
      : `Denies ${describeCalls(tools)} when \`${deny_when}\``,
  sentences: {
    'expression.allows': (p) => `The condition allows it: ${text(p['expression'])}`,
    'expression.denies': (p) => `The condition denies it: ${text(p['expression'])}`,
    'expression.not_evaluated': () => 'The condition could not be evaluated',
  },
  reasons: {
    'expression.allows': { basis: 'input' },
    'expression.denies': {
      basis: 'input',
      steps: ({ rule }) => [
        step('config', `Change the call, or change the condition of \`${rule}\``),
      ],
    },
    'expression.not_evaluated': { basis: 'input' },
  },
}

export const expressionForm: PolicyForm<ExpressionPolicyDocument> = {
  label: 'Expression',
  // The empty condition cannot be published. Any example would deny calls that no one chose to deny.
  sample: { id: 'condition', type: 'expression', deny_when: '' },
  fields: [
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
