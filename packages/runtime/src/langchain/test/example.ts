// The example of specs/adapters/langchain.md.
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { StructuredToolInterface } from '@langchain/core/tools'
import type { Guardrails } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { createAgent } from 'langchain'
import { LANGCHAIN_PROFILE } from '../capabilities.ts'
import { guardMiddleware } from '../guard-middleware.ts'

export async function example(
  guardrails: Guardrails,
  model: BaseChatModel,
  tools: StructuredToolInterface[],
) {
  // #region
  const session = HarnessSession.open(guardrails, LANGCHAIN_PROFILE, {
    workspaceRoot: process.cwd(),
  })
  const agent = createAgent({ model, tools, middleware: [guardMiddleware(session)] })
  const { messages } = await agent.invoke({
    messages: [{ role: 'user', content: 'Write the release notes.' }],
  })
  await session.end({ reason: 'completed', output: messages.at(-1)?.text })
  // #endregion
  return { session, messages }
}
