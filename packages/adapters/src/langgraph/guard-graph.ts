// The nodes of a graph that ask the guardrails (specs/adapters/langgraph.md).

import { HumanMessage } from '@langchain/core/messages'
import { ToolInputParsingException } from '@langchain/core/tools'
import { Command, END } from '@langchain/langgraph'
import type { ToolNode, ToolNodeOptions } from '@langchain/langgraph/prebuilt'
import { omitUndefined } from '@signalbox/core'
import type { GuardedSession } from '@signalbox/runtime'
import { HarnessSession, type NativeStop } from '@signalbox/runtime/harness'
import { CallGuard } from '../base/call-guard.ts'
import { LANGGRAPH_PROFILE } from './capabilities.ts'
import { appendText, findAnswer, readMessages, usageIn } from './graph-messages.ts'
import { GuardedToolNode } from './guarded-tool-node.ts'

export interface GuardGraphOptions {
  /** Id of the sub-agent that this graph is. Absent: the main agent. */
  readonly agent?: string
}

export interface StopRoute {
  /** Node that asks the model. A blocked stop returns to it. */
  readonly model: string
  /** Member of the state with the structured output, which a blocked stop sets to null. Absent: the graph has none. */
  readonly output?: string
}

export interface GraphGuard {
  /** A `ToolNode` whose calls are guarded. */
  readonly toolNode: (tools: ToolNode['tools'], options?: ToolNodeOptions) => ToolNode
  /** A node for every path to `END`. Declare its ends: `{ ends: ['<the model's node>', END] }`. */
  readonly stopNode: (route: StopRoute) => (state: object) => Promise<Command>
}

export function guardGraph(
  session: GuardedSession | HarnessSession,
  { agent }: GuardGraphOptions = {},
): GraphGuard {
  const harness =
    session instanceof HarnessSession ? session : new HarnessSession(session, LANGGRAPH_PROFILE)
  /** Feedback that no tool message could carry. */
  let pending: string[] = []
  const calls = new CallGuard({
    session: harness,
    agent: agent ?? null,
    readError: (error) => ({ error, isInvalid: error instanceof ToolInputParsingException }),
    deliver: (feedback, answer) => {
      if (!appendText(answer, [...pending, feedback])) pending.push(feedback)
      else pending = []
      return answer
    },
  })
  const noteUsage = async (state: unknown) => {
    await harness.learn({ usage: usageIn(readMessages(state)) })
  }
  return {
    toolNode: (tools, options) => new GuardedToolNode(tools, { calls, noteUsage, options }),
    stopNode:
      ({ model, output: member }) =>
      async (state) => {
        await noteUsage(state)
        const stop = await harness.stop(buildAttempt(state, { member, agent }))
        if (stop.allowed) return new Command({ goto: END })
        const messages = [...pending, stop.message].map((text) => new HumanMessage(text))
        pending = []
        const withdrawn = member === undefined ? {} : { [member]: null }
        return new Command({ goto: model, update: { ...withdrawn, messages } })
      },
  }
}

function buildAttempt(
  state: object,
  { member, agent }: { readonly member: string | undefined; readonly agent: string | undefined },
): NativeStop {
  const text = findAnswer(readMessages(state))?.message.text ?? ''
  const output = (member === undefined ? undefined : Reflect.get(state, member)) ?? undefined
  const whole = output === undefined ? 'turn_end' : 'structured_output'
  return {
    via: agent === undefined ? whole : 'subagent_end',
    ...omitUndefined({ agent, output, lastMessage: text === '' ? undefined : text }),
  }
}
