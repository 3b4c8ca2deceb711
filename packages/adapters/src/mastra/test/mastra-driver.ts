import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import type { CompatHarness, CompatRun } from '@signalbox/testkit'
import * as z from 'zod/v4'
import {
  BENCH_TOOLS,
  type Bench,
  type Driven,
  givesOutput,
  onBench,
  turnAt,
} from '../../test/compat-bench.ts'
import type { ScriptedStep } from '../../test/scripted-model.ts'
import { MASTRA_PROFILE } from '../capabilities.ts'
import { guardMastra } from '../guard-mastra.ts'
import { scriptMastraModel } from './mastra-model.ts'

const ANSWER = z.object({ answer: z.string() })
const MAX_STEPS = 20

type Way = (agent: Agent, run: CompatRun, bench: Bench) => Promise<unknown>

function driver(name: string, way: Way): CompatHarness {
  return {
    name,
    tested: '@mastra/core 1.71.0',
    capabilities: capabilitiesRecord(MASTRA_PROFILE.capabilities),
    tools: BENCH_TOOLS,
    reportsUsage: true,
    run: (run) =>
      onBench(run, MASTRA_PROFILE, async (bench): Promise<Driven> => {
        const { model, prompts } = scriptMastraModel(scriptSteps(run))
        const tools = benchTools(bench)
        const agent = new Agent({ id: 'worker', name: 'Worker', instructions: '', model, tools })
        return { requests: prompts, output: await way(agent, run, bench) }
      }),
  }
}

export const mastraDriver = driver('mastra (generate)', async (agent, run, { session }) => {
  const options = { maxSteps: MAX_STEPS, ...guardMastra(session) }
  if (!givesOutput(run)) return (await agent.generate('Begin.', options)).steps.at(-1)?.text
  const { object } = await agent.generate('Begin.', {
    ...options,
    structuredOutput: { schema: ANSWER },
  })
  return object
})

export const mastraStreamDriver = driver('mastra (stream)', async (agent, run, { session }) => {
  const options = { maxSteps: MAX_STEPS, ...guardMastra(session) }
  if (!givesOutput(run)) {
    const result = await agent.stream('Begin.', options)
    await result.consumeStream()
    return (await result.steps).at(-1)?.text
  }
  const result = await agent.stream('Begin.', { ...options, structuredOutput: { schema: ANSWER } })
  await result.consumeStream()
  return await result.object
})

function scriptSteps({ script }: CompatRun): readonly ScriptedStep[] {
  return script.map((_, index) => {
    const { calls, text, output } = turnAt(script, index)
    const said = output === null ? text : JSON.stringify(output)
    return { calls, ...(said === null ? {} : { text: said }) }
  })
}

function benchTools({ session, write, read, check }: Bench) {
  const description = 'As its name says.'
  return {
    [BENCH_TOOLS.write]: createTool({
      id: BENCH_TOOLS.write,
      description,
      inputSchema: z.object({ file_path: z.string(), content: z.string() }),
      execute: ({ file_path, content }) => write(file_path, content),
    }),
    [BENCH_TOOLS.read]: createTool({
      id: BENCH_TOOLS.read,
      description,
      inputSchema: z.object({ file_path: z.string() }),
      execute: ({ file_path }) => read(file_path),
    }),
    [BENCH_TOOLS.check]: createTool({
      id: BENCH_TOOLS.check,
      description,
      inputSchema: z.object({ how: z.string() }),
      execute: ({ how }) => check(how),
    }),
    [BENCH_TOOLS.plan]: createTool({
      id: BENCH_TOOLS.plan,
      description,
      inputSchema: z.object({
        steps: z.array(z.object({ title: z.string(), status: z.enum(['pending', 'done']) })),
      }),
      execute: async ({ steps }) => {
        await session.session.updatePlan(steps)
        return 'Noted.'
      },
    }),
  }
}
