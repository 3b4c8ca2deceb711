// One hypothetical change of a session, or of the config that it ran under.

import type { ApprovalDecided, EventBody, ToolOutcome } from '../../model/event.ts'
import type { Facts } from '../../model/fact.ts'
import type { RuleMode } from '../../model/rule.ts'

export type Change =
  | { readonly kind: 'without_event'; readonly seq: number }
  /** The given files and answers replace those of the event; the others stay. */
  | { readonly kind: 'with_facts'; readonly seq: number; readonly facts: Facts }
  /** Applies to a `tool.invoked`. */
  | { readonly kind: 'with_outcome'; readonly seq: number; readonly outcome: ToolOutcome }
  /** Applies to an `approval.decided`. */
  | {
      readonly kind: 'with_answer'
      readonly seq: number
      readonly decision: ApprovalDecided['decision']
    }
  /** The event, and those after it that would otherwise be older, happen later. */
  | { readonly kind: 'delayed'; readonly seq: number; readonly seconds: number }
  /** Events right before `before`, at its time. */
  | { readonly kind: 'inserted'; readonly before: number; readonly events: readonly EventBody[] }
  /** Applies to a policy or a provider. */
  | { readonly kind: 'rule_mode'; readonly rule: string; readonly mode: RuleMode }
  | { readonly kind: 'without_rule'; readonly rule: string }
