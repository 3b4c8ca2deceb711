import type { ApprovalDecided, EventBody, ToolOutcome } from '../../model/event.ts'
import type { Facts } from '../../model/fact.ts'
import type { RuleMode } from '../../model/rule.ts'

export type Change =
  | { readonly kind: 'without_event'; readonly seq: number }
  | { readonly kind: 'with_facts'; readonly seq: number; readonly facts: Facts }
  | { readonly kind: 'with_outcome'; readonly seq: number; readonly outcome: ToolOutcome }
  | {
      readonly kind: 'with_answer'
      readonly seq: number
      readonly decision: ApprovalDecided['decision']
    }
  /** The event happens later, and so do the following events that would then be older than it. */
  | { readonly kind: 'delayed'; readonly seq: number; readonly seconds: number }
  | { readonly kind: 'inserted'; readonly before: number; readonly events: readonly EventBody[] }
  | { readonly kind: 'rule_mode'; readonly rule: string; readonly mode: RuleMode }
  | { readonly kind: 'without_rule'; readonly rule: string }
