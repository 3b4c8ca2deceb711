// An agent may end its run with the result of a tool, without calling its model again. That is a stop attempt, too.
import type {
  FunctionToolResult,
  RunContext,
  ToolToFinalOutputFunction,
  ToolUseBehavior,
} from '@openai/agents'
import type { BlockedStops } from './blocked-stops.ts'
import type { Notes } from './notes.ts'
import type { RunGuard } from './run-guard.ts'

type Decision = Awaited<ReturnType<ToolToFinalOutputFunction>>

export interface FinalToolParts {
  readonly guard: RunGuard
  readonly notes: Notes
  readonly stops: BlockedStops
}

const CONTINUE: Decision = { isFinalOutput: false, isInterrupted: undefined }

export function guardedBehavior(
  behavior: ToolUseBehavior,
  { guard, notes, stops }: FinalToolParts,
): ToolUseBehavior {
  if (behavior === 'run_llm_again') return behavior
  return async (context, results) => {
    if (results.some(({ tool }) => stops.isTool(tool))) return CONTINUE
    const decision = await decide(behavior, context, results)
    if (!decision.isFinalOutput) return decision
    const message = await guard.findBlock({ text: decision.finalOutput, structured: false })
    if (message === null) return decision
    notes.add(findLastCall(results), message)
    return CONTINUE
  }
}

async function decide(
  behavior: Exclude<ToolUseBehavior, 'run_llm_again'>,
  context: RunContext,
  results: FunctionToolResult[],
): Promise<Decision> {
  if (typeof behavior === 'function') return behavior(context, results)
  const result =
    behavior === 'stop_on_first_tool'
      ? results[0]
      : results.find(({ tool }) => behavior.stopAtToolNames.includes(tool.name))
  if (result?.type !== 'function_output') return CONTINUE
  const { output } = result
  const finalOutput = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
  return { isFinalOutput: true, isInterrupted: undefined, finalOutput }
}

function findLastCall(results: readonly FunctionToolResult[]): string {
  const item = results.at(-1)?.runItem.rawItem
  return item !== undefined && 'callId' in item ? item.callId : ''
}
