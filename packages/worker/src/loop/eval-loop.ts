import type { Heartbeat } from '../lease/heartbeat.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import { MainLoop, type MainLoopOptions, type StopOptions } from './main-loop.ts'
import type { HandleContext, LoopReply } from './supervise.ts'

export interface EvalSample<Input = unknown, Expected = unknown> {
  readonly id: string
  readonly input: Input
  readonly expected: Expected
}

export interface EvalRequest<Input = unknown, Expected = unknown> {
  readonly sample: EvalSample<Input, Expected>
  readonly evaluator: string
}

export interface EvalScore {
  /** From 0 to 1. */
  readonly value: number
  readonly passed: boolean
  readonly reason?: string
}

export interface EvalResult {
  readonly sample: string
  readonly score: EvalScore
  /** Duration of the execution, without the evaluation. */
  readonly seconds: number
}

export type Evaluator<Output = unknown, Expected = unknown> = (
  output: Output,
  expected: Expected,
) => EvalScore | Promise<EvalScore>

export interface EvalLoopOptions<Input, Output, Expected>
  extends Omit<MainLoopOptions<EvalRequest<Input, Expected>, EvalResult>, 'mailbox' | 'handle'> {
  readonly mailbox: Mailbox<EvalRequest<Input, Expected>, LoopReply<EvalResult>>
  readonly execute: (input: Input, context: HandleContext) => Promise<Output>
  readonly evaluators: Readonly<Record<string, Evaluator<Output, Expected>>>
}

/** Replies to each request with an EvalResult. A request whose execution or evaluator throws is retried like any failed message. */
export class EvalLoop<Input = unknown, Output = unknown, Expected = unknown> {
  readonly #loop: MainLoop<EvalRequest<Input, Expected>, EvalResult>

  get heartbeat(): Heartbeat {
    return this.#loop.heartbeat
  }

  /** Throws `bad_options`, also when the times contradict each other. */
  constructor(options: EvalLoopOptions<Input, Output, Expected>) {
    const { execute, evaluators, ...others } = options
    const now = options.now ?? Date.now
    this.#loop = new MainLoop({
      ...others,
      handle: async ({ sample, evaluator }, context) => {
        const evaluate = evaluatorNamed(evaluators, evaluator)
        const startedAt = now()
        const output = await execute(sample.input, context)
        const seconds = (now() - startedAt) / 1000
        context.heartbeat.beat()
        return { sample: sample.id, score: await evaluate(output, sample.expected), seconds }
      },
    })
  }

  run(): Promise<void> {
    return this.#loop.run()
  }

  stop(options?: StopOptions): Promise<void> {
    return this.#loop.stop(options)
  }
}

function evaluatorNamed<Output, Expected>(
  evaluators: Readonly<Record<string, Evaluator<Output, Expected>>>,
  name: string,
): Evaluator<Output, Expected> {
  const found = Object.hasOwn(evaluators, name) ? evaluators[name] : undefined
  if (found !== undefined) return found
  const known = Object.keys(evaluators).join(', ')
  throw new Error(`There is no evaluator "${name}" here. Known: ${known}.`)
}
