// The engine is in `expression/`, so that an agent without conditions does not load it.

import { type JsonObject, pointerTo } from '../../model/json.ts'
import type { RuleBase } from '../../model/rule.ts'
import { type Judgment, unproven } from '../base/judgment.ts'
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

export function conditionPointer({ deny_when }: ExpressionPolicyDocument, pointer: string): string {
  return pointerTo(pointer, deny_when === undefined ? 'require' : 'deny_when')
}

export const expressionRule: PolicyRule<ExpressionPolicyDocument> = {
  governs: ({ tools }) => tools ?? 'every',
  denies: ({ tools }) => tools ?? 'every',
  toolsNamed: listedTools,
  toolsWatched: none,
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

/** Words the result by the kind of the condition, which events do not record. null: the code is not about a condition. */
export function describeConditionResult(
  document: ExpressionPolicyDocument,
  { code, params }: { readonly code: string; readonly params: JsonObject },
): string | null {
  if (code !== 'expression.allows' && code !== 'expression.denies') return null
  const { mustHold } = readCondition(document)
  const isMet = mustHold === (code === 'expression.allows')
  const condition = mustHold ? 'required condition' : 'deny condition'
  return `The ${condition} is ${isMet ? '' : 'not '}met: ${text(params['expression'])}`
}

export const expressionWords: PolicyWords<ExpressionPolicyDocument> = {
  describe: ({ tools, deny_when, require = '' }) =>
    deny_when === undefined
      ? `Allows ${describeCalls(tools)} only when \`${require}\``
      : evaluateConstant(deny_when) === true
        ? `Denies ${tools === undefined ? '' : 'all '}${describeCalls(tools)}`
        : `Denies ${describeCalls(tools)} when \`${deny_when}\``,
  sentences: {
    'expression.allows': (p) => `The rule's condition allows the call: ${text(p['expression'])}`,
    'expression.denies': (p) => `The rule's condition denies the call: ${text(p['expression'])}`,
    'expression.not_evaluated': () => 'The condition could not be evaluated',
  },
  reasons: {
    'expression.allows': { basis: 'input' },
    'expression.denies': {
      basis: 'input',
      steps: ({ rule }) => [
        step('config', `Change the call, or the condition of rule \`${rule}\``),
      ],
    },
    'expression.not_evaluated': { basis: 'input' },
  },
}
