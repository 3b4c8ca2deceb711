// The call waits between approval.requested and approval.decided; without an answer in time it is denied.

import type { RuleResult } from '../../model/effect.ts'
import type { ApprovalDecided } from '../../model/event.ts'
import type { RuleBase } from '../../model/rule.ts'
import type { PendingApproval, SessionState } from '../../model/state.ts'
import { type Step, step } from '../policy-reason.ts'
import { byWhom, describeCalls, text } from '../rule-words.ts'
import { evaluateRules, placed } from './evaluate.ts'
import { allow, cannotTell, deny, type Finding } from './finding.ts'
import { bareCall, type CompiledPolicy, createPolicy, type Policy } from './policy.ts'
import {
  compareNumbers,
  compareRest,
  compareTools,
  dropMemory,
  listedTools,
  NOTHING_TO_VIEW,
  none,
  type PolicyForm,
  type PolicyRule,
  type PolicyWords,
} from './policy-rule.ts'

export interface ApprovalDocument extends RuleBase {
  readonly type: 'approval'
  readonly tools: readonly string[]
  readonly timeout_seconds: number
}

export function approval({ tools, mode, timeout_seconds }: ApprovalDocument): Policy {
  return mode === 'shadow'
    ? createPolicy({ denies: tools, check: ({ tool }) => wouldAsk(tool), needsCall: false })
    : createPolicy({ denies: tools, check: () => null, approvalSeconds: timeout_seconds })
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
  const who = { ...(by === undefined ? {} : { by }), ...(note === undefined ? {} : { note }) }
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
  prerequisites: none,
  deniesAlways: () => false,
  seesCommands: true,
  approvalSeconds: ({ timeout_seconds }) => timeout_seconds,
  errors: none,
  compare: (pair) => [
    ...compareTools(pair, 'asks about'),
    ...compareNumbers(pair, { field: 'timeout_seconds', strictSide: -1 }),
    ...compareRest(pair, ['tools', 'timeout_seconds', 'optional']),
  ],
  carryOver: dropMemory,
  needsToolOnly: true,
  view: () => NOTHING_TO_VIEW,
}

export const approvalWords: PolicyWords<ApprovalDocument> = {
  describe: ({ tools, timeout_seconds }) =>
    `A reviewer approves ${describeCalls(tools)} within ${timeout_seconds} s`,
  sentences: {
    'approval.approved': (p) => `Approved${byWhom(p['by'])}`,
    'approval.denied': (p) => `Not approved${byWhom(p['by'])}`,
    'approval.timed_out': (p) => `No one approved it within ${text(p['timeout_seconds'])} s`,
    'approval.unavailable': () => 'It needs approval, but no one could be asked',
    'approval.would_ask': (p) => `${text(p['tool'])} would need approval`,
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
  },
}

export const approvalForm: PolicyForm<ApprovalDocument> = {
  label: 'Approval',
  sample: { id: 'approval', type: 'approval', tools: [], timeout_seconds: 300 },
  fields: [
    { control: 'names', field: 'tools', label: 'Tools', isRequired: true },
    {
      control: 'number',
      field: 'timeout_seconds',
      label: 'Timeout in seconds',
      hint: 'A reviewer decides each call that every other rule allows.',
    },
  ],
  advice: none,
  blindSpots: none,
}

function approveStep(): readonly Step[] {
  return [step('operator', 'Approve the call when it is asked for again')]
}
