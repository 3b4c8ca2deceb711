import { capabilitiesRecord } from '@signalbox/runtime/harness'
import type { CompatHarness, CompatRun } from '@signalbox/testkit'
import { generateText, isStepCount, Output, streamText, type ToolSet, tool } from 'ai'
import * as z from 'zod/v4'
import {
  BENCH_TOOLS,
  type Bench,
  type Driven,
  givesOutput,
  onBench,
  turnAt,
} from '../../test/compat-bench.ts'
import { type ScriptedStep, scriptedModel } from '../../test/scripted-model.ts'
import { AI_SDK_PROFILE } from '../capabilities.ts'
import { guardGeneration } from '../guard-generation.ts'
import { planTool } from '../plan-tool.ts'

const MAX_STEPS = 20

type Way = (run: CompatRun, bench: Bench) => Promise<Driven>

function driver(name: string, way: Way): CompatHarness {
  return {
    name,
    tested: 'ai 7.0.173',
    capabilities: capabilitiesRecord(AI_SDK_PROFILE.capabilities),
    tools: BENCH_TOOLS,
    reportsUsage: true,
    run: (run) => onBench(run, AI_SDK_PROFILE, (bench) => way(run, bench)),
  }
}

export const aiSdkDriver = driver('ai-sdk 7 (generateText)', async (run, bench) => {
  const { model, prompts } = scriptedModel(scriptSteps(run))
  const settings = { model, prompt: 'Begin.', stopWhen: isStepCount(MAX_STEPS) }
  const guard = guardGeneration(bench.session, benchTools(bench))
  const result = givesOutput(run)
    ? await generateText({ ...settings, ...guard, output: ANSWER })
    : await generateText({ ...settings, ...guard })
  return { requests: prompts, output: givesOutput(run) ? result.output : result.text }
})

export const aiSdkStreamDriver = driver('ai-sdk 7 (streamText)', async (run, bench) => {
  const { model, prompts } = scriptedModel(scriptSteps(run))
  const settings = { model, prompt: 'Begin.', stopWhen: isStepCount(MAX_STEPS) }
  const guard = guardGeneration(bench.session, benchTools(bench))
  const result = givesOutput(run)
    ? streamText({ ...settings, ...guard, output: ANSWER })
    : streamText({ ...settings, ...guard })
  const text = await result.text
  return { requests: prompts, output: givesOutput(run) ? await result.output : text }
})

export const ANSWER = Output.object({ schema: z.object({ answer: z.string() }) })

export function scriptSteps({ script }: CompatRun): readonly ScriptedStep[] {
  return script.map((_, index) => {
    const { calls, text, output } = turnAt(script, index)
    const said = output === null ? text : JSON.stringify(output)
    return { calls, ...(said === null ? {} : { text: said }) }
  })
}

export function benchTools({ session, write, read, check }: Bench): ToolSet {
  const description = 'As its name says.'
  return {
    [BENCH_TOOLS.write]: tool({
      description,
      inputSchema: z.object({ file_path: z.string(), content: z.string() }),
      execute: ({ file_path, content }) => write(file_path, content),
    }),
    [BENCH_TOOLS.read]: tool({
      description,
      inputSchema: z.object({ file_path: z.string() }),
      execute: ({ file_path }) => read(file_path),
    }),
    [BENCH_TOOLS.check]: tool({
      description,
      inputSchema: z.object({ how: z.string() }),
      execute: ({ how }) => check(how),
    }),
    [BENCH_TOOLS.plan]: planTool(session.session),
  }
}
