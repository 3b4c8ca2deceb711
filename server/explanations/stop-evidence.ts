// Evidence that the runtime captured at a stop attempt. Null means that it was not captured, not that it was absent.
import type { BudgetLimits, EventOf, FileFact, PlanStep, SessionState } from '@signalbox/core'
import { viewState } from '@signalbox/core/analysis'
import type { GovernedState } from '@signalbox/core/tighten'
import { toLoggedEvent } from '@/server/sessions/log/logged-event.ts'
import { type LogPlace, readLog } from '@/server/sessions/log/session-log.sql.ts'

interface PlanRecord {
  readonly seq: number
  readonly steps: readonly PlanStep[]
}

interface DatedStep {
  /** Starts at 1. */
  readonly number: number
  readonly title: string
  /** Null: the agent gave none. */
  readonly status: string | null
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

/** `records`: newest first; the first one is the current plan. Empty: there is no plan. */
function datedSteps(records: readonly PlanRecord[]): readonly DatedStep[] {
  const present = records[0]
  if (present === undefined) return []
  return present.steps.map((step, index) => ({
    number: index + 1,
    title: step.title,
    status: step.status ?? null,
    since: findStatusStart(step, records, present.seq),
  }))
}

export interface StopEvidence {
  readonly at: number
  /** Null: there was no plan. */
  readonly plan: readonly DatedStep[] | null
  readonly planSeq: number | null
  readonly stopReason: string | null
  readonly lastMessage: string | null
  /** JSON text of the offered output; null: none was offered. */
  readonly output: string | null
  /** Null: the runtime recorded no look-up. */
  readonly files: readonly { readonly path: string; readonly exists: FileFact['exists'] }[] | null
  readonly answers: readonly { readonly rule: string; readonly kind: string }[]
  readonly deadlineAt: number | null
  /** By dimension; empty: no budget was set. */
  readonly budget: readonly {
    readonly dimension: string
    readonly used: number
    readonly limit: number
  }[]
  readonly tokensUsed: number
  readonly openCalls: readonly {
    readonly callId: string
    readonly tool: string
    readonly seq: number
  }[]
  readonly harnessMaxBlocks: number | null
}

export interface Before extends GovernedState {
  readonly attempt: EventOf<'stop.attempted'>
}

const PLAN_RECORDS = 200

async function loadDatedPlan(
  place: LogPlace,
  state: SessionState,
): Promise<readonly DatedStep[] | null> {
  if (state.plan === null) return null
  const rows = await readLog(place, {
    from: 1,
    to: state.plan.seq,
    limit: PLAN_RECORDS,
    types: ['plan.updated'],
    order: 'newest',
  })
  const records = rows.flatMap((row): readonly PlanRecord[] => {
    const event = toLoggedEvent(place.sessionId, row)
    return event.type === 'plan.updated' ? [{ seq: row.seq, steps: event.data.steps }] : []
  })
  return datedSteps(records)
}

function listBudgetUse(budget: BudgetLimits | null, usage: SessionState['usage']) {
  const dimensions = [
    ['total tokens', usage.total, budget?.max_total_tokens],
    ['input tokens', usage.input, budget?.max_input_tokens],
    ['output tokens', usage.output, budget?.max_output_tokens],
  ] as const
  return dimensions.flatMap(([dimension, used, limit]) =>
    limit === undefined ? [] : [{ dimension, used, limit }],
  )
}

export async function loadStopEvidence(
  place: LogPlace,
  { config, state, attempt }: Before,
): Promise<StopEvidence> {
  const { data } = attempt
  const files = data.facts?.files
  return {
    at: attempt.at,
    plan: await loadDatedPlan(place, state),
    planSeq: state.plan?.seq ?? null,
    stopReason: data.stop_reason ?? null,
    lastMessage: data.last_message ?? null,
    output: data.output === undefined ? null : JSON.stringify(data.output, null, 2),
    files:
      files === undefined
        ? null
        : Object.entries(files).map(([path, { exists }]) => ({ path, exists })),
    answers: Object.entries(data.facts?.answers ?? {}).map(([rule, { kind }]) => ({ rule, kind })),
    deadlineAt: state.deadlineAt,
    budget: listBudgetUse(state.budget, state.usage),
    tokensUsed: state.usage.total,
    openCalls: viewState(config, state).pending,
    harnessMaxBlocks: data.harness_max_blocks ?? null,
  }
}
