// The call waits between approval.requested and approval.decided; without an answer in time it is denied.

import { secondsText } from '../../model/count-text.ts'
import type { RuleResult } from '../../model/effect.ts'
import type { ApprovalDecided } from '../../model/event.ts'
import { type JsonObject, omitUndefined, pointerTo } from '../../model/json.ts'
import type { RuleBase } from '../../model/rule.ts'
import type { PendingApproval, SessionState } from '../../model/state.ts'
import { type Judgment, looser, stricter, unproven } from '../base/judgment.ts'
import { type Step, step } from '../base/policy-reason.ts'
import { names, text } from '../base/rule-words.ts'
import { evaluateRules, placed } from './evaluate.ts'
import { allow, cannotTell, deny, type Finding } from './finding.ts'
import {
  bareCall,
  type CallCondition,
  type CompiledPolicy,
  createPolicy,
  type Policy,
} from './policy.ts'
import {
  compareNumbers,
  compareRest,
  compareTools,
  dropMemory,
  listedTools,
  NOTHING_TO_VIEW,
  none,
  type Pair,
  type PolicyRule,
  type PolicyWords,
} from './policy-rule.ts'

export interface ApprovalDocument extends RuleBase {
  readonly type: 'approval'
  readonly tools: readonly string[]
  /** CEL condition on the call. False: no one is asked. Not evaluable: a reviewer is asked. Absent: every call is asked about. */
  readonly when?: string
  readonly timeout_seconds: number
}

/** `condition`: of `when`; null: every call is asked about. */
export function approval(
  { tools, mode, when = '', timeout_seconds }: ApprovalDocument,
  condition: CallCondition | null,
): Policy {
  const isShadow = mode === 'shadow'
  return createPolicy({
    denies: tools,
    check: (call, state, left) => {
      const isAsked = condition?.test(call, state, left) ?? true
      if (!isAsked) return allow('approval.not_asked', { when })
      return isShadow ? wouldAsk(call.tool) : null
    },
    ...(isShadow
      ? { needsCall: condition?.needsArguments ?? false }
      : { approvalSeconds: timeout_seconds }),
  })
}

/** Rules that ask a reviewer about a call: those without a result of their own for its request. */
export function listAsking(
  approvals: readonly CompiledPolicy[],
  rules: readonly RuleResult[],
): readonly CompiledPolicy[] {
  return approvals.filter(({ id }) => !rules.some(({ rule }) => rule === id))
}

/** In shadow mode no approval is requested; the record states which calls would have waited. */
function wouldAsk(tool: string): Finding {
  return deny('approval.would_ask', { tool }, { reason: `Tool '${tool}' needs approval.` })
}

/** Shortest timeout of the rules that require approval, in seconds. */
export function computeTimeout(asking: readonly CompiledPolicy[]): number {
  return Math.min(...asking.map(({ policy }) => policy.approvalSeconds ?? 0))
}

/**
 * Other calls may have run in the meantime, so rules that depend only on tool and state are evaluated again (under semantics 1 only the
 * rate limits); the others keep their result from the request.
 */
export function rulesNow(
  policies: readonly CompiledPolicy[],
  rules: readonly RuleResult[],
  { tool, state }: { readonly tool: string; readonly state: SessionState },
): readonly RuleResult[] {
  const again = policies.filter(({ policy }) =>
    state.semantics < 2 ? policy.rate !== null : !policy.needsCall,
  )
  const now = new Map(evaluateRules(again, bareCall(tool), state).map((one) => [one.rule, one]))
  return rules.map((rule) => now.get(rule.rule) ?? rule)
}

export interface GivenAnswer {
  readonly tool: string
  readonly answer: ApprovalDecided
  /** Sequence number and time (epoch ms) of the answer. */
  readonly seq: number
  readonly at: number
}

export function settle(
  asking: readonly CompiledPolicy[],
  waiting: PendingApproval,
  given: GivenAnswer,
): readonly RuleResult[] {
  return asking.map((compiled) => {
    const timeout = compiled.policy.approvalSeconds ?? 0
    const late = given.answer.decision === 'approved' && given.at > waiting.expiresAt
    return placed(
      compiled,
      toApprovalFinding(given, late ? 'timed_out' : given.answer.decision, timeout),
    )
  })
}

function toApprovalFinding(
  { tool, answer, seq }: GivenAnswer,
  decision: ApprovalDecided['decision'],
  timeout: number,
): Finding {
  const { by, note } = answer
  const who = omitUndefined({ by, note })
  const because = [seq]
  switch (decision) {
    case 'approved':
      return allow('approval.approved', who, because)
    case 'denied': {
      const reason = `Tool '${tool}' was not approved${note ? `: ${note}` : '.'}`
      return deny('approval.denied', { tool, ...who }, { reason, because })
    }
    case 'timed_out': {
      const reason = `Tool '${tool}' was not approved within ${timeout} seconds.`
      return deny('approval.timed_out', { tool, timeout_seconds: timeout }, { reason, because })
    }
    case 'unavailable': {
      const reason = `Tool '${tool}' needs approval, and nobody can be asked.`
      return cannotTell('approval.unavailable', { tool }, { reason, because })
    }
    default:
      return decision satisfies never
  }
}

export const approvalRule: PolicyRule<ApprovalDocument> = {
  governs: ({ tools }) => tools,
  denies: ({ tools }) => tools,
  toolsNamed: listedTools,
  toolsWatched: none,
  prerequisites: none,
  deniesAlways: () => false,
  seesCommands: true,
  approvalSeconds: ({ timeout_seconds }) => timeout_seconds,
  errors: none,
  compare: (pair) => [
    ...compareTools(pair, 'asks about'),
    ...compareWhen(pair),
    ...compareNumbers(pair, { field: 'timeout_seconds', strictSide: -1 }),
    ...compareRest(pair, ['tools', 'when', 'timeout_seconds', 'optional']),
  ],
  carryOver: dropMemory,
  needsToolOnly: true,
  view: () => NOTHING_TO_VIEW,
}

/** Two different conditions cannot be compared. */
function compareWhen({ before, after, ...pair }: Pair<ApprovalDocument>): readonly Judgment[] {
  const pointer = pointerTo(pair.pointer, 'when')
  if (before.when === after.when) return []
  if (after.when === undefined) return [stricter(pointer, `${pair.name} asks about every call`)]
  return before.when === undefined
    ? [looser(pointer, `${pair.name} asks only when \`${after.when}\``)]
    : [unproven(pointer, `${pair.name} has a different condition, which may ask less often`)]
}

function byReviewer({ by }: JsonObject): string {
  return by === undefined ? '' : ` by ${text(by)}`
}

export const approvalWords: PolicyWords<ApprovalDocument> = {
  describe: ({ tools, when, timeout_seconds }) =>
    `Calls of ${names(tools, 'or')} wait up to ${secondsText(timeout_seconds)} for a reviewer${when === undefined ? '' : ` when \`${when}\``}`,
  sentences: {
    'approval.approved': (p) => `Approved${byReviewer(p)}`,
    'approval.denied': (p) => `Not approved${byReviewer(p)}`,
    'approval.timed_out': (p) => `No one approved it within ${text(p['timeout_seconds'])} s`,
    'approval.unavailable': () => 'It needs approval, but no one could be asked',
    'approval.would_ask': (p) => `${text(p['tool'])} would need approval`,
    'approval.not_asked': (p) => `No one is asked, because this is false: ${text(p['when'])}`,
  },
  reasons: {
    'approval.approved': { basis: 'approval' },
    'approval.denied': { basis: 'approval', steps: approveStep },
    'approval.timed_out': { basis: 'approval', steps: approveStep },
    'approval.unavailable': {
      basis: 'approval',
      steps: () => [step('operator', 'Connect the runtime, so that someone can be asked')],
    },
    'approval.would_ask': { basis: 'input' },
    'approval.not_asked': { basis: 'input' },
  },
}

function approveStep(): readonly Step[] {
  return [step('operator', 'Approve the call when it is asked for again')]
}
