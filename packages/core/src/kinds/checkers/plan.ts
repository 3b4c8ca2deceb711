// plan: every step of the session's plan must be done. Without a plan there is nothing to check.

import type { PlanStep } from '../../model/event.ts'
import type { CheckerBase } from '../../model/rule.ts'
import type { SessionState } from '../../model/state.ts'
import { type CheckOutcome, firstThree, type LeafChecker, leafChecker, outcome } from './checker.ts'

/** Every step of the session's plan must be `done`. */
export interface PlanCheckerDocument extends CheckerBase {
  readonly type: 'plan'
}

export function planChecker(document: PlanCheckerDocument, pointer: string): LeafChecker {
  return leafChecker(document, pointer, { check: ({ state }) => check(state) })
}

function openSteps(steps: readonly PlanStep[]): readonly PlanStep[] {
  return steps.filter((step) => step.status !== 'done')
}

function check({ plan }: SessionState): CheckOutcome {
  if (plan === null || plan.steps.length === 0) {
    return outcome('nothing_to_check', 'plan.none', {})
  }
  const total = plan.steps.length
  const open = openSteps(plan.steps)
  const because = [plan.seq]
  if (open.length === 0) {
    const feedback = `All ${total} task(s) in the plan are complete.`
    return outcome('passed', 'plan.done', { params: { total }, feedback, because })
  }
  const titles = open.map((step) => step.title)
  return outcome('incomplete', 'plan.open_steps', {
    params: {
      total,
      open: open.length,
      steps: plan.steps.map(({ title, status }) => ({ title, status: status ?? null })),
    },
    feedback:
      `You have ${open.length} incomplete task(s) out of ${total}. Please either complete all remaining tasks or update ` +
      `the plan to remove tasks that are no longer needed before producing output: ${firstThree(titles)}`,
    because,
  })
}
