// A tool that reports whether it failed. The SDK converts an error that a tool throws into a text for the model, and nothing else records
// the failure.
import {
  type FunctionTool,
  type RunContext,
  type ToolInputParameters,
  type ToolOptions,
  tool,
} from '@openai/agents'

/** Facts about a call, by the SDK's own object of it, once its tool began. */
interface Told {
  readonly outcome: 'success' | 'failure' | 'invalid'
  readonly error?: string
}

export interface ToolEnd extends Omit<Told, 'outcome'> {
  readonly outcome: Told['outcome'] | 'unknown'
}

type Details = Parameters<FunctionTool['invoke']>[2]

const told = new WeakMap<object, Told>()
/** Functions of tools made here, which the SDK keeps on every copy of the tool. */
const observed = new WeakSet<object>()

/** Text of the SDK when a tool throws. */
const SDK_ERROR = 'An error occurred while running the tool. Please try again.'

/**
 * Like `tool` of `@openai/agents`, for guarded agents: its errors are recorded as failures. Results of tools made differently are recorded
 * as unknown, which satisfies no rule.
 */
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
        tell(details, { outcome: 'failure' })
        const result: unknown = await Reflect.apply(execute, options, args)
        tell(details, { outcome: 'success' })
        return result
      },
      // null: what the tool throws ends the run.
      ...(errorFunction === null
        ? {}
        : {
            errorFunction: (context: RunContext<Context>, error: unknown, details?: Details) => {
              const call = details?.toolCall
              const began = call !== undefined && told.has(call)
              tell(details, { outcome: began ? 'failure' : 'invalid', error: describeError(error) })
              return errorFunction?.(context, error, details) ?? SDK_ERROR
            },
          }),
    }),
  )
  observed.add(made.invoke)
  return made
}

function tell(details: Details, end: Told): void {
  if (details?.toolCall !== undefined) told.set(details.toolCall, end)
}

/** `call`: the SDK's object for it. `tool`: any copy of the tool that ran. */
export function findToolEnd(
  tool: { readonly invoke: object },
  call: object,
  output: unknown,
): ToolEnd {
  // Without any word of it the tool did not even begin: the SDK found its arguments wrong.
  if (observed.has(tool.invoke)) return told.get(call) ?? { outcome: 'invalid' }
  return output === SDK_ERROR ? { outcome: 'failure', error: SDK_ERROR } : { outcome: 'unknown' }
}

/** End of a tool that runs an agent: it has no failure text of its own. Empty: it waits for approval. */
export function judgeAgentEnd(output: unknown): ToolEnd {
  if (output === SDK_ERROR) return { outcome: 'failure', error: SDK_ERROR }
  return { outcome: output === '' ? 'unknown' : 'success' }
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
