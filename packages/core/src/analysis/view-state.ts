import type { CompiledConfig } from '../engine/compile.ts'
import { promptState, providerState } from '../kinds/feedback/prompt-state.ts'
import { type NextFiring, nextFirings } from '../kinds/feedback/trigger.ts'
import { placeDocument } from '../kinds/placed.ts'
import type { RateView, RuleView, SequenceView } from '../kinds/policies/policy-rule.ts'
import { policyRule } from '../kinds/policies.ts'
import type { BudgetLimits } from '../model/event.ts'
import { getIn, listEntries } from '../model/persistent-map.ts'
import type { PlanState, SessionControl, SessionState, Usage } from '../model/state.ts'
import { ordersAt } from './unblock/tool-runs.ts'

export interface TriggerView {
  readonly provider: string
  readonly name: string
  readonly next: readonly NextFiring[]
  readonly deliveries: number
  readonly lastSeq: number | null
  readonly fileFired: boolean
}

export interface StateView {
  readonly seq: number
  readonly at: number
  readonly prompt: string
  readonly plan: PlanState | null
  /** Tools that succeeded, sorted, with the sequence number of their last success. */
  readonly succeeded: readonly { readonly tool: string; readonly seq: number }[]
  readonly stillNeeded: readonly { readonly tool: string; readonly missing: readonly string[] }[]
  readonly reads: readonly { readonly rule: string; readonly path: string; readonly seq: number }[]
  /** In document order. Rules that are off are left out. */
  readonly sequences: readonly SequenceView[]
  readonly rates: readonly RateView[]
  readonly pending: readonly {
    readonly callId: string
    readonly tool: string
    readonly seq: number
    /** Epoch ms until which an approval can be given; null: none was requested. */
    readonly approvalUntil: number | null
  }[]
  readonly triggers: readonly TriggerView[]
  readonly deadlineAt: number | null
  readonly budget: BudgetLimits | null
  readonly usage: Usage
  readonly calls: number
  readonly stops: { readonly attempts: number; readonly blocks: number }
  /** Newest order of a person; null: none was given. */
  readonly control: SessionControl | null
}

export function viewState(config: CompiledConfig, state: SessionState): StateView {
  const prompt = promptState(state)
  const { calls } = prompt
  const rules = viewRules(config, state)
  return {
    seq: state.seq,
    at: state.at,
    prompt: state.prompt,
    plan: state.plan,
    succeeded: listEntries(state.tallies).flatMap(([tool, { successSeq: seq }]) =>
      seq === null ? [] : [{ tool, seq }],
    ),
    stillNeeded: stillNeeded(config, state),
    reads: listEntries(state.reads).flatMap(([rule, marks]) =>
      listEntries(marks).map(([path, { seq }]) => ({ rule, path, seq })),
    ),
    sequences: rules.flatMap(({ sequences }) => sequences),
    rates: rules.flatMap(({ rates }) => rates),
    pending: listEntries(state.pending).map(([callId, { tool, seq, approval }]) => ({
      callId,
      tool,
      seq,
      approvalUntil: approval === null ? null : approval.expiresAt,
    })),
    triggers: config.providers.map(({ id, provider, trigger }) => {
      const known = providerState(prompt, id)
      const fileFired = getIn(state.firedFiles, id) !== undefined
      return {
        provider: id,
        name: provider.name,
        next: nextFirings(trigger, known, { at: state.at, calls, fileFired }),
        deliveries: known.deliveries,
        lastSeq: known.deliveredSeq,
        fileFired,
      }
    }),
    deadlineAt: state.deadlineAt,
    budget: state.budget,
    usage: state.usage,
    calls,
    stops: state.stops,
    control: state.control,
  }
}

function stillNeeded(config: CompiledConfig, state: SessionState): StateView['stillNeeded'] {
  const orders = ordersAt(config, state)
  const tools = placeDocument(config.document).policies.flatMap(({ item, pointer }) =>
    policyRule(item)
      .prerequisites(item, pointer)
      .map(({ tool }) => tool),
  )
  return [...new Set(tools)].flatMap((tool) => {
    const missing = [...new Set(orders(tool).flatMap((order) => order.missing))].sort()
    return missing.length === 0 ? [] : [{ tool, missing }]
  })
}

function viewRules({ document }: CompiledConfig, state: SessionState): readonly RuleView[] {
  return placeDocument(document).policies.flatMap(({ item }) =>
    item.mode === 'off' ? [] : [policyRule(item).view(item, state)],
  )
}
