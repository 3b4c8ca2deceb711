// The example of specs/adapters/ai-sdk.md.
import type { Guardrails } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { generateText, isStepCount, type LanguageModel, type ToolSet } from 'ai'
import { aiSdkProfile } from '../capabilities.ts'
import { guardGeneration } from '../guard-generation.ts'
import { planTool } from '../plan-tool.ts'

export async function example(guardrails: Guardrails, model: LanguageModel, tools: ToolSet) {
  // #region
  const session = HarnessSession.open(guardrails, aiSdkProfile(tools), {
    workspaceRoot: process.cwd(),
  })
  const { text } = await generateText({
    model,
    prompt: 'Write the release notes.',
    stopWhen: isStepCount(40),
    ...guardGeneration(session, { ...tools, update_plan: planTool(session.session) }),
  })
  await session.end({ reason: 'completed', output: text })
  // #endregion
  return { session, text }
}
