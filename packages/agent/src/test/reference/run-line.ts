import { AgentWorld } from './agent-world.ts'
import {
  askChecker,
  deadlineInfo,
  formatDuration,
  makeBudget,
  makeDeadline,
} from './checker-world.ts'
import { PRESCRIBED } from './prescribed.ts'
import { QueueWorld } from './queue-world.ts'
import {
  type Answer,
  type Answers,
  AnswerValue,
  type ReferenceLine,
  type ReferenceStep,
} from './reference-line.ts'

export async function runLine(line: ReferenceLine): Promise<Answers> {
  let world: AgentWorld
  try {
    world = new AgentWorld(line)
  } catch (error) {
    return { setup_raised: raisedBy(error) }
  }
  const queue = new QueueWorld(world)
  const results: Answer[] = []
  for (const step of line.when) results.push(await answerTo(step, world, queue))
  return { results, final_state: await world.finalState() }
}

async function answerTo(
  step: ReferenceStep,
  world: AgentWorld,
  queue: QueueWorld,
): Promise<Answer> {
  try {
    if (step.op === 'tool') return await world.tool(step)
    if (step.op === 'checker') return await askChecker(step, world)
    const result = await runReferenceStep(step, world, queue)
    return { result: AnswerValue.parse(result ?? null) }
  } catch (error) {
    return { raised: raisedBy(error) }
  }
}

type Plain = Exclude<ReferenceStep, { op: 'tool' | 'checker' }>

/** Returns the result or a promise of it. Undefined is compared as null. */
function runReferenceStep(step: Plain, world: AgentWorld, queue: QueueWorld): unknown {
  switch (step.op) {
    case 'tool_invoked':
      return world.toolInvoked(step)
    case 'feedback':
      return world.feedback()
    case 'provide':
      return world.provide()
    case 'advance':
      return world.advance(step)
    case 'plan':
      return world.plan(step)
    case 'snapshot':
      return world.snapshot(step)
    case 'restore':
      return world.restore(step)
    case 'reset':
      return world.reset()
    case 'format_duration':
      return formatDuration(step)
    case 'make_budget':
      return makeBudget(step)
    case 'make_deadline':
      return makeDeadline(step, world)
    case 'deadline_info':
      return deadlineInfo(world)
    default:
      return runQueueStep(step, queue)
  }
}

type QueueStep = Extract<
  Plain,
  {
    op:
      | 'mailbox_create'
      | 'send'
      | 'receive'
      | 'ack'
      | 'nack'
      | 'extend'
      | 'count'
      | 'lease_attach'
      | 'lease_detach'
      | 'beat'
      | 'extends'
  }
>

function runQueueStep(step: QueueStep, queue: QueueWorld): unknown {
  switch (step.op) {
    case 'mailbox_create':
      return null
    case 'send':
      return queue.send(step)
    case 'receive':
      return queue.receive(step)
    case 'ack':
      return queue.acknowledge(step)
    case 'nack':
      return queue.nack(step)
    case 'extend':
      return queue.extend(step)
    case 'count':
      return queue.count()
    case 'lease_attach':
      return queue.attach(step)
    case 'lease_detach':
      return queue.detach()
    case 'beat':
      return queue.beat()
    case 'extends':
      return queue.extensions()
    default:
      return step satisfies never
  }
}

/** Any message matches, unless the semantics prescribe it. */
function raisedBy(error: unknown): { readonly type: string; readonly message: string } {
  if (!(error instanceof Error)) throw error
  const isPrescribed = PRESCRIBED.includes(error.message)
  return { type: error.name, message: isPrescribed ? error.message : '*' }
}
