// expression: a CEL condition on a call. The engine that evaluates it is in expression/, so that an agent without conditions does not carry it.

import { pointerTo } from '../../model/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { RuleBase } from '../../model/rule.ts'
import { type Judgement, untold } from '../judgement.ts'
import { warning } from '../place.ts'
import { describeCalls, type RuleWords, text } from '../rule-words.ts'
import {
  compareRest,
  compareTools,
  forget,
  listedTools,
  NOTHING_TO_VIEW,
  none,
  type Pair,
  type PolicyPlace,
  type PolicyRule,
} from './policy-rule.ts'

/** A CEL condition on a call; exactly one of `deny_when` and `require` is present. */
export interface ExpressionPolicyDocument extends RuleBase {
  readonly type: 'expression'
  /** Absent: every tool. */
  readonly tools?: readonly string[]
  /** Denies when true. */
  readonly deny_when?: string
  /** Denies when false. */
  readonly require?: string
  /** Message to the agent. Absent: `Denied by policy.` */
  readonly reason?: string
}

/** The condition and whether it must hold; a document with both or neither is refused. */
export function readCondition(document: ExpressionPolicyDocument): {
  readonly source: string
  readonly mustHold: boolean
} {
  const { deny_when, require = '' } = document
  return deny_when === undefined
    ? { source: require, mustHold: true }
    : { source: deny_when, mustHold: false }
}

/** The field that holds the condition. */
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
  errors: none,
  advice: sessionConditions,
  blindSpots: finishedCalls,
  compare: compareExpressions,
  carryOver: forget,
  needsToolOnly: false,
  view: () => NOTHING_TO_VIEW,
}

/** null: it depends. */
export function evaluateConstant(source: string): boolean | null {
  const bare = source.replace(/[()\s]/g, '')
  return bare === 'true' ? true : bare === 'false' ? false : null
}

/** Conditions that hold for a whole session: without tools to limit them, they deny every call or none. A section limits its own rules. */
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

/** Names that are not fields of another value. */
const VARIABLES = /(?<![.\w]\s*)\b(?:tool|args|calls|session)\b/g

function readsOnlySession(source: string): boolean {
  const names = source.replaceAll(STRINGS_AND_COMMENTS, '').match(VARIABLES) ?? []
  return names.length > 0 && names.every((name) => name === 'session')
}

const COUNTED =
  /\bcalls(?:\.([A-Za-z0-9_]+)|\[["']([A-Za-z0-9_-]+)["']\])\.(calls|succeeded)\s*(<=?|>=?|==)/g

/** Calls that were requested at once all see the same number of finished ones. */
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

/** A condition cannot be compared with another; only its tools can. */
function compareExpressions(pair: Pair<ExpressionPolicyDocument>): readonly Judgement[] {
  const { before, after, pointer, name } = pair
  const [was, is] = [readCondition(before), readCondition(after)]
  const same = was.source === is.source && was.mustHold === is.mustHold
  const changed = same
    ? []
    : [untold(pointer, `${name} has another condition, which may allow what the old one denied`)]
  const rest = compareRest(pair, ['tools', 'deny_when', 'require', 'reason', 'optional'])
  return [...changed, ...compareTools(pair, 'judges'), ...rest]
}

export const expressionWords: RuleWords<ExpressionPolicyDocument> = {
  label: 'Expression',
  // Without a condition it cannot be published: any example would deny calls that no one chose.
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
  describe: ({ tools, deny_when, require = '' }) =>
    deny_when === undefined
      ? `Allows ${describeCalls(tools)} only when \`${require}\``
      : `Denies ${describeCalls(tools)} when \`${deny_when}\``,
  sentences: {
    'expression.allows': (p) => `The condition allows it: ${text(p['expression'])}`,
    'expression.denies': (p) => `The condition denies it: ${text(p['expression'])}`,
    'expression.not_evaluated': () => 'The condition could not be evaluated',
  },
}
