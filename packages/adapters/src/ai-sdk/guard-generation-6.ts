// `ai` 6 has neither steering nor a single evaluation of all calls of a step. So calls are evaluated when their input is complete, and a
// blocked stop starts a new generation (specs/adapters/ai-sdk.md). Every failure denies.
import type { GuardedSession } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import type { ModelMessage, ToolSet } from 'ai'
import { AI_SDK_6_PROFILE } from './capabilities.ts'
import type { GuardOptions } from './guard-generation.ts'
import { Interjections, userMessage } from './interjections.ts'
import { type FinishedStep, StepGuard } from './step-guard.ts'

export interface TurnOptions<Tools extends ToolSet> {
  readonly tools: Tools
  /** The whole conversation so far; replaces `prompt`. */
  readonly messages: ModelMessage[]
  readonly prepareStep: (step: { readonly messages: ModelMessage[] }) => {
    messages: ModelMessage[]
  }
  readonly onStepFinish: (step: FinishedStep) => Promise<void>
}

export interface FinishedTurn {
  readonly response:
    | { readonly messages: readonly ModelMessage[] }
    | PromiseLike<{ readonly messages: readonly ModelMessage[] }>
}

export interface GenerationGuard6<Tools extends ToolSet> {
  /** Generates again, with the whole conversation, while stops are blocked. `stopWhen` counts from zero each time. Rejects as `turn` does. */
  run<Turn extends FinishedTurn>(
    messages: string | readonly ModelMessage[],
    turn: (options: TurnOptions<Tools>) => Turn | PromiseLike<Turn>,
  ): Promise<Turn>
}

/** Guards one run: `guard.run(messages, (options) => generateText({ model, ...options }))`. */
export function guardGeneration6<Tools extends ToolSet>(
  session: GuardedSession | HarnessSession,
  tools: Tools,
  { agent }: GuardOptions = {},
): GenerationGuard6<Tools> {
  const said = new Interjections()
  const guard = new StepGuard({
    session:
      session instanceof HarnessSession ? session : new HarnessSession(session, AI_SDK_6_PROFILE),
    agent: agent ?? null,
    tell: (message) => said.add(message),
  })
  const guarded = guardedTools(guard, tools)
  let blocked = false
  return {
    async run(messages, turn) {
      let history = typeof messages === 'string' ? [userMessage(messages)] : [...messages]
      for (;;) {
        const result = await turn({
          tools: guarded,
          messages: history,
          prepareStep: (step) => ({ messages: said.before(step.messages) }),
          onStepFinish: async (step) => {
            blocked = await guard.stepEnded(step)
          },
        })
        const { messages: added } = await result.response
        if (!blocked) return result
        blocked = false
        history = said.take([...history, ...added])
      }
    },
  }
}

type AvailableInput = Parameters<NonNullable<ToolSet[string]['onInputAvailable']>>[0]

function guardedTools<Tools extends ToolSet>(guard: StepGuard, tools: Tools): Tools {
  let last: Promise<unknown> = Promise.resolve()
  const wrapped = Object.entries(tools).map(([name, tool]) => {
    const guarded = guard.wrap(name, tool)
    const { execute } = guarded
    const judging: ToolSet[string] = {
      ...guarded,
      // The SDK awaits this for every call of a step before any of them runs.
      onInputAvailable: async (options: AvailableInput) => {
        await guard.judge({ toolName: name, toolCallId: options.toolCallId, input: options.input })
        await tool.onInputAvailable?.(options)
      },
    }
    if (execute === undefined) return [name, judging] as const
    // The SDK runs the calls of a step together; the session must see one result before the next call runs.
    const inTurn: typeof execute = (input, options) => {
      const result = last.then(() => execute(input, options))
      last = result.then(
        () => undefined,
        () => undefined,
      )
      return result
    }
    return [name, { ...judging, execute: inTurn }] as const
  })
  // Names and schemas are the same; only functions were replaced, by others of the same signature.
  return Object.fromEntries(wrapped) as Tools
}
