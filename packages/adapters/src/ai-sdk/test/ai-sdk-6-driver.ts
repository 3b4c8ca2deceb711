import { capabilitiesRecord } from '@signalbox/runtime/harness'
import type { CompatHarness } from '@signalbox/testkit'
import { generateText, stepCountIs } from 'ai'
import { BENCH_TOOLS, givesOutput, onBench } from '../../test/compat-bench.ts'
import { scriptedModel6 } from '../../test/scripted-model-6.ts'
import { AI_SDK_6_PROFILE } from '../capabilities.ts'
import { guardGeneration6 } from '../guard-generation-6.ts'
import { ANSWER, benchTools, scriptSteps } from './ai-sdk-driver.ts'

const MAX_STEPS = 20

export const aiSdk6Driver: CompatHarness = {
  name: 'ai-sdk 6 (generateText)',
  tested: 'ai 6.0.326',
  capabilities: capabilitiesRecord(AI_SDK_6_PROFILE.capabilities),
  tools: BENCH_TOOLS,
  reportsUsage: true,
  run: (run) =>
    onBench(run, AI_SDK_6_PROFILE, async (bench) => {
      const { model, prompts } = scriptedModel6(scriptSteps(run))
      const guard = guardGeneration6(bench.session, benchTools(bench))
      const stopWhen = stepCountIs(MAX_STEPS)
      if (!givesOutput(run)) {
        const { text } = await guard.run('Begin.', (options) =>
          generateText({ model, stopWhen, ...options }),
        )
        return { requests: prompts, output: text }
      }
      const { output } = await guard.run('Begin.', (options) =>
        generateText({ model, stopWhen, output: ANSWER, ...options }),
      )
      return { requests: prompts, output }
    }),
}
