// Since when a plan step has had its status: the first plan.updated of the unbroken run that led to the present one. Pure.
import type { PlanStep } from '@signalbox/core'

export interface PlanRecord {
  readonly seq: number
  readonly steps: readonly PlanStep[]
}

export interface DatedStep {
  /** From 1. */
  readonly number: number
  readonly title: string
  /** Null: never given. */
  readonly status: string | null
  /** Sequence number of the event from which on the step has had this status. */
  readonly since: number
}

const identifyStep = (step: PlanStep): string => step.id ?? step.title

function findStatusStart(step: PlanStep, newestFirst: readonly PlanRecord[], seq: number): number {
  let since = seq
  for (const record of newestFirst) {
    const earlier = record.steps.find((candidate) => identifyStep(candidate) === identifyStep(step))
    if (earlier === undefined || earlier.status !== step.status) break
    since = record.seq
  }
  return since
}

/** `records`: newest first, the first one is the present plan. Empty when there is no plan. */
export function datedSteps(records: readonly PlanRecord[]): readonly DatedStep[] {
  const present = records[0]
  if (present === undefined) return []
  return present.steps.map((step, index) => ({
    number: index + 1,
    title: step.title,
    status: step.status ?? null,
    since: findStatusStart(step, records, present.seq),
  }))
}
