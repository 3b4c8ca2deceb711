// Steps that two checkers share count once. A run adds the runs of its prerequisites, and those that it would outdate (specs/analysis.md).
import type { CompiledConfig } from '../../engine/compile.ts'
import { isComplete } from '../../kinds/checkers/checker.ts'
import type { KeyedStep } from '../../kinds/checkers/checker-rule.ts'
import { JUDGE_MODEL } from '../../kinds/checkers/llm-judge.ts'
import { runChecker } from '../../kinds/checkers/tree.ts'
import type { UnblockStep } from '../../kinds/checkers/unblock-step.ts'
import { placeDocument } from '../../kinds/placed.ts'
import type { EventOf } from '../../model/event.ts'
import type { SessionState } from '../../model/state.ts'
import { type Need, needsAt } from './needs.ts'
import { type Moment, perform } from './perform.ts'
import { type Cost, cheapestChoice } from './search.ts'
import { findLastRun, ordersAt, type ToolRuns, toolRuns } from './tool-runs.ts'

export interface UnblockPlan {
  /** In an order in which they can be taken. Empty: nothing is missing, or the config has no checker. */
  readonly steps: readonly UnblockStep[]
  /** True when every step can be taken. False: `steps` has the fewest possible obstacles. */
  readonly attainable: boolean
  /** False: the tree was too large to compare every choice, or a rule has `after`, so fewer steps may be sufficient. */
  readonly isSmallest: boolean
  /** True when a simulation of the steps passes. False with an obstacle, an unknown solution, or a run that other rules deny. */
  readonly isVerified: boolean
}

/** `state` is the state before the attempt. */
export function unblock(
  config: CompiledConfig,
  state: SessionState,
  attempt: EventOf<'stop.attempted'>,
): UnblockPlan {
  const { checker } = config
  if (checker === null) return { steps: [], attainable: true, isSmallest: true, isVerified: true }
  const context = { state, stop: attempt.data }
  const planner = plannerAt(config, state)
  const computeNeeds = needsAt(config, context)
  const { needs, isSmallest } = cheapestChoice(checker, computeNeeds, planner.computeCost)
  const { steps, ...plan } = planner.planUnblockSteps(needs)
  const attainable = steps.every(({ obstacle }) => obstacle === null)
  // The agent can take the steps once a paused session is resumed.
  const after = steps.reduce<Moment>((moment, { action }) => perform(config, moment, action), {
    state: { ...state, control: null },
    attempt,
  })
  const result = runChecker(
    checker,
    { state: after.state, stop: after.attempt.data },
    'short_circuit',
  )
  return {
    steps,
    attainable,
    isSmallest: isSmallest && plan.isSmallest,
    isVerified: attainable && isComplete(result),
  }
}

interface Planner {
  readonly computeCost: (needs: readonly Need[]) => Cost
  readonly planUnblockSteps: (needs: readonly Need[]) => Pick<UnblockPlan, 'steps' | 'isSmallest'>
}

function plannerAt(config: CompiledConfig, state: SessionState): Planner {
  const orders = ordersAt(config, state)
  const runnable = runnableTools(config)
  const planUnblockSteps: Planner['planUnblockSteps'] = (needs) => {
    const runs = toolRuns(
      needs.flatMap(({ run }) => run ?? []),
      orders,
      state,
    )
    const steps = [...sharedSteps(needs), ...runSteps(runs, needs, { state, runnable })]
    return { steps, isSmallest: runs.isSmallest }
  }
  const computeCost = (needs: readonly Need[]): Cost => {
    const { steps } = planUnblockSteps(needs)
    const obstacles = steps.filter(({ obstacle }) => obstacle !== null).length
    return { obstacles, steps: steps.length }
  }
  return { computeCost, planUnblockSteps }
}

function sharedSteps(needs: readonly Need[]): readonly UnblockStep[] {
  const byKey = new Map<string, { readonly step: KeyedStep; readonly checkers: string[] }>()
  const add = (step: KeyedStep, checker: string): void => {
    const known = byKey.get(step.key)
    if (known === undefined) byKey.set(step.key, { step, checkers: [checker] })
    else known.checkers.push(checker)
  }
  for (const { checker, steps } of needs) {
    for (const step of steps) add(step, checker)
  }
  if (byKey.has(JUDGE_MODEL)) {
    for (const { checker, withModel } of needs) if (withModel !== null) add(withModel, checker)
  }
  return [...byKey.values()].map(({ step: { key: _, ...step }, checkers }) => ({
    ...step,
    checkers,
    prerequisiteOf: [],
  }))
}

/** null: any tool may exist, because the document does not list its tools. */
function runnableTools(config: CompiledConfig): ReadonlySet<string> | null {
  const { declaredTools } = placeDocument(config.document)
  return declaredTools.size === 0 ? null : declaredTools
}

interface Surroundings {
  readonly state: SessionState
  readonly runnable: ReadonlySet<string> | null
}

function runSteps(
  { order, before, conflict }: ToolRuns,
  needs: readonly Need[],
  { state, runnable }: Surroundings,
): readonly UnblockStep[] {
  const seen = new Set<string>()
  return order.map((tool) => {
    const again = seen.has(tool)
    seen.add(tool)
    const obstacle = describeConflict(tool, conflict, runnable)
    return {
      checkers: needs.flatMap(({ checker, run }) => (run?.tool === tool ? [checker] : [])),
      prerequisiteOf: order.filter((other) => before.get(other)?.includes(tool) === true),
      code: 'tool.run',
      text: `Run \`${tool}\`${again ? ' again' : ''} until it succeeds`,
      owner: obstacle === null ? 'agent' : 'config',
      since: findLastRun(state, tool),
      action: { kind: 'run', tool },
      obstacle,
    }
  })
}

function describeConflict(
  tool: string,
  conflict: readonly string[],
  runnable: ReadonlySet<string> | null,
): string | null {
  if (runnable !== null && !runnable.has(tool)) return `No section declares the tool \`${tool}\`.`
  if (!conflict.includes(tool)) return null
  const names = conflict.map((name) => `\`${name}\``).join(', ')
  return `The last runs of ${names} would each have to be newer than one of the others.`
}
