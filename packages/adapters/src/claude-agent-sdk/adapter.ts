import type { Adapter } from '../base/adapter.ts'

export const claudeAgentSdkAdapter: Adapter = {
  name: 'claude-agent-sdk',
  title: 'Claude Agent SDK',
  asks: 'hooks in process',
  peers: ['@anthropic-ai/claude-agent-sdk'],
  daemon: null,
  init: null,
}
