// Counters that move with every call, such as calls, tokens and countdowns, are not changes.

import { promptState } from '../kinds/feedback/prompt-state.ts'
import { listEntries, type PersistentMap } from '../model/persistent-map.ts'
import { isSameJson } from '../model/same-json.ts'
import type { PlanState, SessionState } from '../model/state.ts'
import type { GovernedState } from '../tighten/governing.ts'
import { type OutlookCheck, stopOutlook } from './stop-outlook.ts'

const STATE_PARTS = [
  'config',
  'prompt',
  'limits',
  'control',
  'plan',
  'reads',
  'successes',
  'approvals',
  'feedback',
  'stops',
  'checks',
] as const
export type StatePart = (typeof STATE_PARTS)[number]

/** Empty: nothing that matters changed. Takes almost no time if nothing changed. */
export function changedParts(before: GovernedState, after: GovernedState): readonly StatePart[] {
  const changed: { readonly [Part in StatePart]: boolean } = {
    config: before.digest !== after.digest,
    prompt: before.state.prompt !== after.state.prompt,
    limits: !isSameJson(listLimits(before.state), listLimits(after.state)),
    control: before.state.control !== after.state.control,
    plan: isOtherPlan(before.state.plan, after.state.plan),
    reads: isOtherMap(before.state.reads, after.state.reads, readPaths),
    successes: isOtherMap(before.state.tallies, after.state.tallies, (tallies) =>
      listEntries(tallies).flatMap(([tool, { last, successSeq }]) =>
        last === null ? [] : [[tool, last, successSeq !== null]],
      ),
    ),
    approvals: isOtherMap(before.state.pending, after.state.pending, (pending) =>
      listEntries(pending).flatMap(([call, { approval }]) => (approval === null ? [] : [call])),
    ),
    feedback: countDeliveries(before.state) !== countDeliveries(after.state),
    stops: before.state.stops.attempts !== after.state.stops.attempts,
    checks: isOtherOutlook(before, after),
  }
  return STATE_PARTS.filter((part) => changed[part])
}

function listLimits({ startedAt, endedAt, deadlineAt, budget }: SessionState) {
  return [startedAt, endedAt, deadlineAt, budget === null ? null : { ...budget }]
}

function isOtherPlan(before: PlanState | null, after: PlanState | null): boolean {
  if (before === after) return false
  const listPlanSteps = (plan: PlanState | null) =>
    plan === null ? null : plan.steps.map(({ title, status = null }) => [title, status])
  return !isSameJson(listPlanSteps(before), listPlanSteps(after))
}

function isOtherMap<Value>(
  before: PersistentMap<Value>,
  after: PersistentMap<Value>,
  toJson: (map: PersistentMap<Value>) => Parameters<typeof isSameJson>[0],
): boolean {
  return before !== after && !isSameJson(toJson(before), toJson(after))
}

function readPaths(reads: SessionState['reads']) {
  return listEntries(reads).flatMap(([rule, marks]) =>
    listEntries(marks).map(([path, { fingerprint }]) => [rule, path, fingerprint]),
  )
}

function countDeliveries(state: SessionState): number {
  return listEntries(promptState(state).providers).reduce(
    (sum, [, { deliveries }]) => sum + deliveries,
    0,
  )
}

function isOtherOutlook(before: GovernedState, after: GovernedState): boolean {
  const [was, is] = [before.state, after.state]
  const isSame =
    before.config === after.config &&
    was.tallies === is.tallies &&
    was.plan === is.plan &&
    was.usage === is.usage
  if (isSame) return false
  return !isSameJson(summarizeOutlook(before), summarizeOutlook(after))
}

function summarizeOutlook({ config, state }: GovernedState) {
  const outlook = stopOutlook(config, state, { at: state.at, harnessMaxBlocks: null })
  return [outlook.verdict, outlook.checks === null ? null : listCheckCodes(outlook.checks)]
}

function listCheckCodes({ checker, code, status, children }: OutlookCheck): readonly string[] {
  return [`${checker} ${code} ${status}`, ...(children ?? []).flatMap(listCheckCodes)]
}
