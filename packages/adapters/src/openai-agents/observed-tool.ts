// The SDK converts an error that a tool throws into text for the model, and records the failure nowhere else.

import {
  type FunctionTool,
  type RunContext,
  type ToolInputParameters,
  type ToolOptions,
  tool,
} from '@openai/agents'
import { describeError } from '@signalbox/runtime/harness'

interface ToolRun {
  readonly outcome: 'success' | 'failure' | 'invalid'
  readonly error?: string
}

export interface ToolEnd extends Omit<ToolRun, 'outcome'> {
  readonly outcome: ToolRun['outcome'] | 'unknown'
}

type Details = Parameters<FunctionTool['invoke']>[2]

const runs = new WeakMap<object, ToolRun>()
/** `invoke` functions of tools made here, which the SDK keeps on every copy of a tool. */
const observed = new WeakSet<object>()

const SDK_ERROR = 'An error occurred while running the tool. Please try again.'

/** Errors are recorded as failures. Results of tools not made by this are recorded as unknown, which satisfies no rule. */
export function observedTool<
  Input extends ToolInputParameters = undefined,
  Context = unknown,
  Result = string,
>(options: ToolOptions<Input, Context>) {
  const { execute, errorFunction } = options
  const made = tool<Input, Context, Result>(
    Object.assign({}, options, {
      execute: async (...args: readonly [input: unknown, context?: unknown, details?: Details]) => {
        const [, , details] = args
        recordRun(details, { outcome: 'failure' })
        const result: unknown = await Reflect.apply(execute, options, args)
        recordRun(details, { outcome: 'success' })
        return result
      },
      // null: an error of the tool ends the run.
      ...(errorFunction === null
        ? {}
        : {
            errorFunction: (context: RunContext<Context>, error: unknown, details?: Details) => {
              const call = details?.toolCall
              const began = call !== undefined && runs.has(call)
              recordRun(details, {
                outcome: began ? 'failure' : 'invalid',
                error: describeError(error),
              })
              return errorFunction?.(context, error, details) ?? SDK_ERROR
            },
          }),
    }),
  )
  observed.add(made.invoke)
  return made
}

function recordRun(details: Details, end: ToolRun): void {
  if (details?.toolCall !== undefined) runs.set(details.toolCall, end)
}

/** `call`: the SDK's object for the call. `tool`: any copy of the tool that ran. */
export function findToolEnd(
  tool: { readonly invoke: object },
  call: object,
  output: unknown,
): ToolEnd {
  // Without any fact, the tool did not begin: the SDK refused its arguments.
  if (observed.has(tool.invoke)) return runs.get(call) ?? { outcome: 'invalid' }
  return output === SDK_ERROR ? { outcome: 'failure', error: SDK_ERROR } : { outcome: 'unknown' }
}

/** End of a tool that runs an agent, which has no failure text of its own. An empty output means that it waits for approval. */
export function judgeAgentEnd(output: unknown): ToolEnd {
  if (output === SDK_ERROR) return { outcome: 'failure', error: SDK_ERROR }
  return { outcome: output === '' ? 'unknown' : 'success' }
}
