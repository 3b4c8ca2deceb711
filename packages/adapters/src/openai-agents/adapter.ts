import type { Adapter } from '../base/adapter.ts'

export const openaiAgentsAdapter: Adapter = {
  name: 'openai-agents',
  title: 'OpenAI Agents',
  asks: 'in process',
  peers: ['@openai/agents'],
  daemon: null,
  init: null,
}
