// approval: a person decides. The call waits between approval.requested and approval.decided; no answer in time denies.
import type { ApprovalDocument } from '../config.ts'
import type { RuleResult } from '../effect.ts'
import type { ApprovalDecided } from '../event.ts'
import type { PendingApproval, SessionState } from '../state.ts'
import { placed } from './evaluate.ts'
import { bareCall, type CompiledPolicy, type Finding, type Policy, plainPolicy } from './policy.ts'

export function approval(document: ApprovalDocument): Policy {
  if (document.mode === 'shadow') {
    return plainPolicy({ denies: document.tools, check: ({ tool }) => wouldAsk(tool) })
  }
  return {
    ...plainPolicy({ denies: document.tools, check: () => null }),
    approvalSeconds: document.timeout_seconds,
  }
}

/** In shadow mode nobody is asked; the record says which calls would have waited. */
function wouldAsk(tool: string): Finding {
  return {
    result: 'deny',
    code: 'approval.would_ask',
    params: { tool },
    because: [],
    reason_class: 'rule_said_no',
    reason: `Tool '${tool}' needs approval.`,
  }
}

/** The shortest time that any of the asking rules allows, in seconds. */
export function timeoutOf(asking: readonly CompiledPolicy[]): number {
  return Math.min(...asking.map(({ policy }) => policy.approvalSeconds ?? 0))
}

/** What the limits say now, instead of at the request: other calls went on while a person thought. */
export function limitsNow(
  policies: readonly CompiledPolicy[],
  rules: readonly RuleResult[],
  { tool, state }: { readonly tool: string; readonly state: SessionState },
): readonly RuleResult[] {
  return rules.map((rule) => {
    const limit = policies.find(({ id, policy }) => id === rule.rule && policy.rate !== null)
    const finding = limit?.policy.check(bareCall(tool), state) ?? null
    return limit === undefined || finding === null ? rule : placed(limit, finding)
  })
}

export interface GivenAnswer {
  readonly tool: string
  readonly answer: ApprovalDecided
  /** Sequence number and time of the answer. */
  readonly seq: number
  readonly at: number
}

/** What the asking rules say once a person has answered, or nobody has. */
export function settle(
  asking: readonly CompiledPolicy[],
  waiting: PendingApproval,
  given: GivenAnswer,
): readonly RuleResult[] {
  return asking.map((compiled) => {
    const timeout = compiled.policy.approvalSeconds ?? 0
    const late = given.answer.decision === 'approved' && given.at > waiting.expiresAt
    return placed(compiled, findingOf(given, late ? 'timed_out' : given.answer.decision, timeout))
  })
}

function findingOf(
  { tool, answer, seq }: GivenAnswer,
  decision: ApprovalDecided['decision'],
  timeout: number,
): Finding {
  const { by, note } = answer
  const who = { ...(by === undefined ? {} : { by }), ...(note === undefined ? {} : { note }) }
  const because = [seq]
  switch (decision) {
    case 'approved':
      return { result: 'allow', code: 'approval.approved', params: who, because }
    case 'denied':
      return {
        result: 'deny',
        code: 'approval.denied',
        params: { tool, ...who },
        because,
        reason_class: 'rule_said_no',
        reason: note
          ? `Tool '${tool}' was not approved: ${note}`
          : `Tool '${tool}' was not approved.`,
      }
    case 'timed_out':
      return {
        result: 'deny',
        code: 'approval.timed_out',
        params: { tool, timeout_seconds: timeout },
        because,
        reason_class: 'rule_said_no',
        reason: `Tool '${tool}' was not approved within ${timeout} seconds.`,
      }
    case 'unavailable':
      return {
        result: 'error',
        code: 'approval.unavailable',
        params: { tool },
        because,
        reason_class: 'could_not_evaluate',
        reason: `Tool '${tool}' needs approval, and nobody can be asked.`,
      }
    default:
      return decision satisfies never
  }
}
