// The tools of a loop that asks a model itself, in no harness.
import { omitUndefined, type ToolOutcome } from '@signalbox/core'
import { describeError } from '../base/guardrail-error.ts'
import type { GuardedSession } from './session.ts'

/** A call as the model requested it. */
export interface RequestedToolCall {
  /** Absent: the model gives none. */
  readonly id?: string
  readonly name: string
  /** An object, for rules that read arguments: they deny anything else. */
  readonly args: unknown
}

export interface ToolAnswer {
  /** Id of the call; absent: the model gave none. */
  readonly id?: string
  readonly name: string
  readonly outcome: ToolOutcome
  /** Everything that the model must read: the result as text or JSON, the error, or the reason of a denial; then feedback. */
  readonly text: string
}

/** Tools by name. A tool checks its own arguments, which come from the model. One that throws has failed. */
export interface ToolFunctions {
  readonly [name: string]: (args: unknown) => unknown
}

export interface GuardToolsOptions {
  /** Id of the sub-agent whose loop this is. Absent: the main agent. */
  readonly agent?: string
}

/** Returns a function that runs the calls of one step of the model: all are evaluated before any runs, and those that may run do so together. */
export function guardTools(
  tools: ToolFunctions,
  session: GuardedSession,
  { agent }: GuardToolsOptions = {},
): (calls: readonly RequestedToolCall[]) => Promise<readonly ToolAnswer[]> {
  const judge = async ({ id, name, args }: RequestedToolCall) => {
    const call = { tool: name, args, ...omitUndefined({ callId: id, agent }) }
    const verdict = await session.beforeToolCall(call)
    const run = async (): Promise<ToolAnswer> => {
      const answer = { name, ...omitUndefined({ id }) }
      if (!verdict.allowed) {
        const text = joinTexts(verdict.reason, verdict.feedback)
        return { ...answer, outcome: 'denied', text }
      }
      const { text, ...ran } = await runTool(tools, name, verdict.args ?? args)
      const { feedback, replaced } = await session.afterToolCall({
        ...call,
        ...ran,
        callId: verdict.callId,
      })
      const read = replaced === null ? text : toText(replaced.output ?? replaced.error)
      return { ...answer, outcome: ran.outcome, text: joinTexts(read, feedback) }
    }
    return run
  }
  return async (calls) => {
    const runs = await Promise.all(calls.map(judge))
    return Promise.all(runs.map((run) => run()))
  }
}

async function runTool(tools: ToolFunctions, name: string, args: unknown) {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (tool === undefined) {
    const error = `There is no tool '${name}'. Tools: ${Object.keys(tools).join(', ')}`
    return { outcome: 'invalid' as const, error, text: error }
  }
  const started = performance.now()
  try {
    const output = await tool(args)
    // Before the report, because a result that the model cannot read is none.
    const text = toText(output)
    const durationMs = Math.round(performance.now() - started)
    return { outcome: 'success' as const, output, durationMs, text }
  } catch (error) {
    const text = describeError(error)
    return { outcome: 'failure' as const, error: text, text }
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function joinTexts(text: string, feedback: string | null): string {
  return [text, feedback].filter(Boolean).join('\n\n')
}
