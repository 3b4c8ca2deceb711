// Every adapter. A new one needs its folder and one line here; registry.test.ts compares the package, the specs and the README.
import { acpAdapter } from './acp/adapter.ts'
import { aiSdkAdapter } from './ai-sdk/adapter.ts'
import type { Adapter, DaemonHooks } from './base/adapter.ts'
import { claudeAgentSdkAdapter } from './claude-agent-sdk/adapter.ts'
import { claudeCodeAdapter } from './claude-code/adapter.ts'
import { codexAdapter } from './codex/adapter.ts'
import { copilotAdapter } from './copilot/adapter.ts'
import { geminiCliAdapter } from './gemini-cli/adapter.ts'
import { langchainAdapter } from './langchain/adapter.ts'
import { langgraphAdapter } from './langgraph/adapter.ts'
import { mastraAdapter } from './mastra/adapter.ts'
import { mcpAdapter } from './mcp/adapter.ts'
import { openaiAgentsAdapter } from './openai-agents/adapter.ts'
import { opencodeAdapter } from './opencode/adapter.ts'

/** In display order. */
export const ADAPTERS: readonly Adapter[] = [
  claudeCodeAdapter,
  claudeAgentSdkAdapter,
  codexAdapter,
  aiSdkAdapter,
  openaiAgentsAdapter,
  langchainAdapter,
  langgraphAdapter,
  mastraAdapter,
  geminiCliAdapter,
  copilotAdapter,
  opencodeAdapter,
  mcpAdapter,
  acpAdapter,
]

export const HARNESSES: ReadonlyMap<string, DaemonHooks> = new Map(
  ADAPTERS.flatMap(({ name, daemon }) => (daemon === null ? [] : [[name, daemon] as const])),
)
