import { Agent, run, setTracingDisabled } from '@openai/agents'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import type { CompatHarness, CompatRun } from '@signalbox/testkit'
import * as z from 'zod/v4'
import { BENCH_TOOLS, type Bench, givesOutput, onBench, turnAt } from '../../test/compat-bench.ts'
import { OPENAI_AGENTS_PROFILE } from '../capabilities.ts'
import { guardAgents } from '../guard-agents.ts'
import { observedTool } from '../observed-tool.ts'
import { ScriptedAgentModel, type ScriptedTurn } from './scripted-agent-model.ts'

setTracingDisabled(true)

const ANSWER = z.object({ answer: z.string() })
const MAX_TURNS = 50

function driver(name: string, stream: boolean): CompatHarness {
  return {
    name,
    tested: '@openai/agents 0.20.0',
    capabilities: capabilitiesRecord(OPENAI_AGENTS_PROFILE.capabilities),
    tools: BENCH_TOOLS,
    reportsUsage: true,
    run: (compat) =>
      onBench(compat, OPENAI_AGENTS_PROFILE, async (bench) => {
        const model = new ScriptedAgentModel(toScriptedTurns(compat))
        const guard = guardAgents(bench.session)
        const settings = { name: 'Worker', model, tools: benchTools(bench) }
        const agent = givesOutput(compat)
          ? guard.agent(new Agent({ ...settings, outputType: ANSWER }))
          : guard.agent(new Agent(settings))
        const output = stream ? await streamed(agent) : await whole(agent)
        return { requests: model.requests, output }
      }),
  }
}

export const openaiAgentsDriver = driver('openai-agents', false)
export const openaiAgentsStreamDriver = driver('openai-agents (stream)', true)

type AnyAgent = Parameters<typeof run>[0]

async function whole(agent: AnyAgent): Promise<unknown> {
  const { finalOutput } = await run(agent, 'Begin.', { maxTurns: MAX_TURNS })
  return finalOutput ?? null
}

async function streamed(agent: AnyAgent): Promise<unknown> {
  const result = await run(agent, 'Begin.', { maxTurns: MAX_TURNS, stream: true })
  for await (const _ of result);
  await result.completed
  return result.finalOutput ?? null
}

function toScriptedTurns({ script }: CompatRun): readonly ScriptedTurn[] {
  return script.map((_, index) => {
    const { calls, text, output } = turnAt(script, index)
    const said = output === null ? text : JSON.stringify(output)
    return { calls, ...(said === null ? {} : { text: said }) }
  })
}

function benchTools({ session, write, read, check }: Bench) {
  const description = 'As its name says.'
  const Steps = z.object({
    steps: z.array(z.object({ title: z.string(), status: z.enum(['pending', 'done']) })),
  })
  return [
    observedTool({
      name: BENCH_TOOLS.write,
      description,
      parameters: z.object({ file_path: z.string(), content: z.string() }),
      execute: ({ file_path, content }) => write(file_path, content),
    }),
    observedTool({
      name: BENCH_TOOLS.read,
      description,
      parameters: z.object({ file_path: z.string() }),
      execute: ({ file_path }) => read(file_path),
    }),
    observedTool({
      name: BENCH_TOOLS.check,
      description,
      parameters: z.object({ how: z.string() }),
      execute: ({ how }) => check(how),
      // The SDK's own text would hide the error.
      errorFunction: (_, error) => String(error),
    }),
    observedTool({
      name: BENCH_TOOLS.plan,
      description,
      parameters: Steps,
      execute: async ({ steps }) => {
        await session.session.updatePlan(steps)
        return 'Noted.'
      },
    }),
  ]
}
