import { Agent, type AgentOutputType, type Model, Runner } from '@openai/agents'
import type { GuardedSession } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { BlockedStops } from './blocked-stops.ts'
import { OPENAI_AGENTS_PROFILE } from './capabilities.ts'
import { guardedBehavior } from './final-tools.ts'
import { GuardedModel } from './guarded-model.ts'
import { Notes } from './notes.ts'
import { RunGuard } from './run-guard.ts'
import { ToolGuard } from './tool-guard.ts'

export interface GuardAgentsOptions {
  /** Provider of models for agents that have none. Absent: that of a new Runner, as in the SDK's `run`. */
  readonly runner?: Runner
}

export interface AgentsGuard {
  /**
   * Guards every agent that it can hand over to, too. `as`: id of a sub-agent that becomes a tool. Absent: the main agent. A run rejects with
   * GuardrailError if one of its tools is an unguarded agent.
   */
  agent<Context, Output extends AgentOutputType>(
    agent: Agent<Context, Output>,
    options?: { readonly as?: string },
  ): Agent<Context, Output>
  /** Option of `run` that makes the calls of one turn sequential. Without it they run in parallel. */
  readonly toolExecution: { readonly maxFunctionToolConcurrency: 1 }
}

/** A guarded agent is a copy, which runs like any other agent. Blocked stops do not end the run (specs/adapters/openai-agents.md). */
export function guardAgents(
  session: GuardedSession | HarnessSession,
  options: GuardAgentsOptions = {},
): AgentsGuard {
  const harness =
    session instanceof HarnessSession ? session : new HarnessSession(session, OPENAI_AGENTS_PROFILE)
  const family = new GuardedAgents(harness, options)
  return {
    agent: (agent, { as } = {}) => family.guarded(agent, { id: as ?? null, sub: as !== undefined }),
    toolExecution: { maxFunctionToolConcurrency: 1 },
  }
}

interface Place {
  /** null: the main agent. */
  readonly id: string | null
  readonly sub: boolean
}

class GuardedAgents {
  readonly #session: HarnessSession
  #runner: Runner | undefined
  readonly #notes = new Notes()
  readonly #stops = new BlockedStops()
  readonly #tools = new ToolGuard()
  /** Guarded copies by agent. Agents may hand over in circles. */
  readonly #copies = new Map<object, object>()

  constructor(session: HarnessSession, { runner }: GuardAgentsOptions) {
    this.#session = session
    this.#runner = runner
  }

  guarded<Context, Output extends AgentOutputType>(
    agent: Agent<Context, Output>,
    place: Place,
  ): Agent<Context, Output> {
    const known = this.#copies.get(agent)
    // The copy was created from this agent.
    if (known !== undefined) return known as Agent<Context, Output>
    const guard = new RunGuard({
      session: this.#session,
      notes: this.#notes,
      agent: place.id,
      sub: place.sub,
    })
    const parts = { guard, notes: this.#notes, stops: this.#stops }
    const copy = agent.clone({
      model: new GuardedModel({ ...parts, inner: () => this.#readModel(agent) }),
      modelSettings: agent.modelSettings,
      toolUseBehavior: guardedBehavior(agent.toolUseBehavior, parts),
      handoffs: [],
    })
    this.#copies.set(agent, copy)
    this.#copies.set(copy, copy)
    copy.handoffs = agent.handoffs.map((to) => this.#handoff<Context, Output>(to, place.sub))
    const { getAllTools, asTool } = copy
    copy.getAllTools = async (...args) => {
      const tools = await getAllTools.apply(copy, args)
      return [...tools.map((tool) => this.#tools.wrap(tool, guard)), this.#stops.tool]
    }
    const trusted = (...args: unknown[]): unknown =>
      this.#tools.trust(Reflect.apply(asTool, copy, args))
    Object.defineProperty(copy, 'asTool', { value: trusted })
    return copy
  }

  /** An agent that receives a handoff acts under its own name. */
  #handoff<Context, Output extends AgentOutputType>(
    to: Agent<Context, Output>['handoffs'][number],
    sub: boolean,
  ): Agent<Context, Output>['handoffs'][number] {
    if (to instanceof Agent) return this.guarded(to, { id: to.name, sub })
    const { onInvokeHandoff } = to
    return to.clone({
      agent: this.guarded(to.agent, { id: to.agentName, sub }),
      onInvokeHandoff: async (context, args) => {
        const next = await onInvokeHandoff(context, args)
        return this.guarded(next, { id: next.name, sub })
      },
    })
  }

  async #readModel({ model }: { readonly model: string | Model }): Promise<Model> {
    if (typeof model !== 'string') return model
    this.#runner ??= new Runner()
    const { config } = this.#runner
    const chosen = model === '' ? (config.model ?? model) : model
    return typeof chosen === 'string' ? config.modelProvider.getModel(chosen) : chosen
  }
}
