import type { CompiledConfig } from '../../engine/compile.ts'
import { step } from '../../engine/step.ts'
import type { UnblockAction } from '../../kinds/checkers/unblock-step.ts'
import type { EventBody, EventOf, PlanStep } from '../../model/event.ts'
import type { Facts, RuleAnswer } from '../../model/fact.ts'
import type { SessionState } from '../../model/state.ts'

export interface Moment {
  readonly state: SessionState
  readonly attempt: EventOf<'stop.attempted'>
}

/** A step that cannot be simulated changes nothing. */
export function perform(config: CompiledConfig, moment: Moment, action: UnblockAction): Moment {
  const { attempt } = moment
  switch (action.kind) {
    case 'run':
      return { attempt, state: run(config, moment, action.tool) }
    case 'plan_step': {
      const steps = moment.state.plan?.steps ?? []
      const done = steps.map((one, i) => (i === action.index ? finished(one) : one))
      return {
        attempt,
        state: fold(config, moment, { type: 'plan.updated', data: { steps: done } }),
      }
    }
    case 'file': {
      const files = { ...attempt.data.facts?.files, [action.path]: { exists: true } as const }
      return withFacts(moment, { ...attempt.data.facts, files })
    }
    case 'model':
      return withAnswers(moment, (answers) =>
        answers.filter(([, answer]) => answer.kind !== 'unavailable'),
      )
    case 'answer':
      return withAnswers(moment, (answers) => [
        [action.rule, COMPLETE],
        ...answers.filter(([rule, { kind }]) => rule !== action.rule || kind === 'unavailable'),
      ])
    case 'other':
      return moment
    default:
      return action satisfies never
  }
}

function finished(planned: PlanStep): PlanStep {
  return { ...planned, status: 'done' }
}

const COMPLETE: RuleAnswer = { kind: 'check', complete: true }

type Answers = readonly (readonly [rule: string, answer: RuleAnswer])[]

function withAnswers(moment: Moment, change: (answers: Answers) => Answers): Moment {
  const { facts } = moment.attempt.data
  const answers = Object.fromEntries(change(Object.entries(facts?.answers ?? {})))
  return withFacts(moment, { ...facts, answers })
}

function withFacts({ state, attempt }: Moment, facts: Facts): Moment {
  return { state, attempt: { ...attempt, data: { ...attempt.data, facts } } }
}

/** Uses the time of the attempt, so that no deadline passes in the meantime. */
function fold(config: CompiledConfig, { state, attempt }: Moment, body: EventBody): SessionState {
  const { session, at } = attempt
  return step(config, state, { session, at, seq: state.seq + 1, ...body }).state
}

/** A run without arguments, so content rules find nothing in them, with every approval granted. If its rules still deny it, it satisfies nothing. */
function run(config: CompiledConfig, moment: Moment, tool: string): SessionState {
  const call = { call_id: `unblock ${moment.state.seq + 1}`, tool }
  const inspecting = config.rulesFor(tool).content.arguments
  const content = {
    detectors: [],
    checked: inspecting.map(({ document }) => document.id),
    found: [],
  }
  const bodies: readonly EventBody[] = [
    { type: 'tool.requested', data: { ...call, args: {}, facts: { content } } },
    { type: 'approval.decided', data: { call_id: call.call_id, decision: 'approved' } },
    { type: 'tool.invoked', data: { ...call, outcome: 'success' } },
  ]
  const { attempt } = moment
  return bodies.reduce((state, body) => fold(config, { state, attempt }, body), moment.state)
}
