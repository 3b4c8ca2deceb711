import type { CompatHarness } from '@signalbox/testkit'
import { acpDriver } from '../acp/test/acp-driver.ts'
import { acpOpencodeDriver } from '../acp/test/acp-opencode-driver.ts'
import { aiSdk6Driver } from '../ai-sdk/test/ai-sdk-6-driver.ts'
import { aiSdkDriver, aiSdkStreamDriver } from '../ai-sdk/test/ai-sdk-driver.ts'
import { claudeAgentSdkDriver } from '../claude-agent-sdk/test/claude-agent-sdk-driver.ts'
import { claudeCommandDriver, claudeHttpDriver } from '../claude-code/test/claude-code-driver.ts'
import { codexDriver, ephemeralCodexDriver } from '../codex/test/codex-driver.ts'
import { copilotDriver } from '../copilot/test/copilot-driver.ts'
import { geminiCliDriver } from '../gemini-cli/test/gemini-cli-driver.ts'
import { langchainDriver } from '../langchain/test/langchain-driver.ts'
import { langgraphDriver } from '../langgraph/test/langgraph-driver.ts'
import { mastraDriver, mastraStreamDriver } from '../mastra/test/mastra-driver.ts'
import { mcpHttpDriver, mcpStdioDriver } from '../mcp/test/mcp-driver.ts'
import {
  openaiAgentsDriver,
  openaiAgentsStreamDriver,
} from '../openai-agents/test/openai-agents-driver.ts'
import { opencodeDriver } from '../opencode/test/opencode-driver.ts'
import { bareLoopDriver } from './bare-loop-driver.ts'
import { pythonSocketDriver, pythonTcpDriver } from './python-driver.ts'

export const DRIVERS: readonly CompatHarness[] = [
  claudeHttpDriver,
  claudeCommandDriver,
  claudeAgentSdkDriver,
  codexDriver,
  ephemeralCodexDriver,
  aiSdkDriver,
  aiSdkStreamDriver,
  aiSdk6Driver,
  openaiAgentsDriver,
  openaiAgentsStreamDriver,
  langchainDriver,
  langgraphDriver,
  mastraDriver,
  mastraStreamDriver,
  mcpStdioDriver,
  mcpHttpDriver,
  opencodeDriver,
  geminiCliDriver,
  copilotDriver,
  acpDriver,
  acpOpencodeDriver,
  bareLoopDriver,
  pythonSocketDriver,
  pythonTcpDriver,
]
