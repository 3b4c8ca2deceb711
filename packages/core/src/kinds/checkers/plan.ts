// Without a plan there is nothing to check.

import type { PlanStep } from '../../model/event.ts'
import type { CheckerBase } from '../../model/rule.ts'
import type { SessionState } from '../../model/state.ts'
import { type RuleWords, text } from '../base/rule-words.ts'
import { type CheckOutcome, joinTitles, type LeafChecker, leafChecker, outcome } from './checker.ts'
import type { CheckerRule, KeyedStep } from './checker-rule.ts'

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
      `the plan to remove tasks that are no longer needed before producing output: ${joinTitles(titles)}`,
    because,
  })
}

export const planRule: CheckerRule<PlanCheckerDocument> = {
  toolsRequired: () => [],
  toolsWatched: () => [],
  errors: () => [],
  run: () => null,
  stepWithModel: () => null,
  answer: () => 'depends',
  restsOn: null,
  implies: () => true,
  steps: (_document, _result, { state }) => planSteps(state),
  unknownBefore: () => null,
}

function planSteps({ plan }: SessionState): readonly KeyedStep[] {
  if (plan === null) return []
  return plan.steps.flatMap(({ title, status }, index): readonly KeyedStep[] => {
    if (status === 'done') return []
    const untouched = status === undefined || status === 'pending'
    return [
      {
        key: `plan ${index}`,
        code: 'plan.finish_step',
        text: untouched ? `Finish or remove “${title}”` : `Finish “${title}”`,
        owner: 'agent',
        since: plan.seq,
        action: { kind: 'plan_step', index },
        obstacle: null,
      },
    ]
  })
}

export const planWords: RuleWords<PlanCheckerDocument> = {
  describe: () => 'Every plan step is done',
  sentences: {
    'plan.none': () => 'No plan exists',
    'plan.done': (p) =>
      p['total'] === 1
        ? 'The only plan step is done'
        : `All ${text(p['total'])} plan steps are done`,
    'plan.open_steps': (p) =>
      `${text(p['open'])} of ${text(p['total'])} plan steps ${p['open'] === 1 ? 'is' : 'are'} not done`,
  },
}
