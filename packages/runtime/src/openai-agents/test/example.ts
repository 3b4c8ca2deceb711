// The example of specs/adapters/openai-agents.md.
import { writeFile } from 'node:fs/promises'
import { Agent, type Model, run } from '@openai/agents'
import type { Guardrails } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import * as z from 'zod/v4'
import { OPENAI_AGENTS_PROFILE } from '../capabilities.ts'
import { guardAgents } from '../guard-agents.ts'
import { observedTool } from '../observed-tool.ts'

export async function example(guardrails: Guardrails, model: Model) {
  // #region
  const session = HarnessSession.open(guardrails, OPENAI_AGENTS_PROFILE, {
    workspaceRoot: process.cwd(),
  })
  const write = observedTool({
    name: 'write_file',
    description: 'Writes a file.',
    parameters: z.object({ file_path: z.string(), content: z.string() }),
    execute: ({ file_path, content }) => writeFile(file_path, content),
  })
  const guard = guardAgents(session)
  const agent = guard.agent(new Agent({ name: 'Writer', model, tools: [write] }))
  const { finalOutput } = await run(agent, 'Write the release notes.')
  await session.end({ reason: 'completed', output: finalOutput })
  // #endregion
  return { session, finalOutput }
}
