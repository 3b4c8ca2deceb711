// The ways to connect an agent, in the order of their tabs.

export type ConnectWay = 'hooks' | 'program' | 'library' | 'python' | 'mcp' | 'acp' | 'http'

export interface ConnectAgent {
  /** In the address (`?agent=`); for hooks, the name that `signalbox init` accepts. */
  readonly value: string
  readonly label: string
  readonly way: ConnectWay
  /** Packages that its program imports besides ours. */
  readonly packages?: readonly string[]
  /** Has a tab of its own; the others are in the menu beside the tabs. */
  readonly isTab?: boolean
  /** Page of the documentation with everything else. */
  readonly docs: string
  /** What passes the guardrails unchecked; absent: nothing that the rules could decide. */
  readonly limit?: string
}

const adapter = (name: string): string => `/docs/specs/adapters/${name}`

export const CONNECT_AGENTS = [
  {
    value: 'claude-code',
    label: 'Claude Code',
    way: 'hooks',
    isTab: true,
    docs: adapter('claude-code'),
  },
  { value: 'codex', label: 'Codex', way: 'hooks', isTab: true, docs: adapter('codex') },
  {
    value: 'ai-sdk',
    label: 'AI SDK',
    way: 'program',
    packages: ['ai', '@ai-sdk/openai', 'zod'],
    isTab: true,
    docs: adapter('ai-sdk'),
    limit: 'tools that the provider runs itself',
  },
  {
    value: 'openai-agents',
    label: 'OpenAI Agents',
    way: 'program',
    packages: ['@openai/agents', 'zod'],
    isTab: true,
    docs: adapter('openai-agents'),
    limit: 'hosted tools, which the provider runs itself',
  },
  {
    value: 'langchain',
    label: 'LangChain',
    way: 'program',
    packages: ['langchain', '@langchain/openai', 'zod'],
    isTab: true,
    docs: adapter('langchain'),
    limit: 'tools that the provider runs itself',
  },
  {
    value: 'python',
    label: 'Python',
    way: 'python',
    isTab: true,
    docs: '/docs/how-to/guard-python',
    limit: 'functions that bypass s.tool',
  },
  {
    value: 'mcp',
    label: 'MCP',
    way: 'mcp',
    isTab: true,
    docs: adapter('mcp'),
    limit: 'tools of other servers, and the end of the run',
  },
  {
    value: 'langgraph',
    label: 'LangGraph',
    way: 'program',
    packages: ['@langchain/langgraph', '@langchain/core', '@langchain/openai', 'zod'],
    docs: adapter('langgraph'),
    limit: 'nodes that act without a tool call, and tools that the provider runs itself',
  },
  {
    value: 'mastra',
    label: 'Mastra',
    way: 'program',
    packages: ['@mastra/core', 'zod'],
    docs: adapter('mastra'),
    limit: 'tools that the provider runs itself',
  },
  { value: 'gemini-cli', label: 'Gemini CLI', way: 'hooks', docs: adapter('gemini-cli') },
  { value: 'copilot', label: 'Copilot CLI', way: 'hooks', docs: adapter('copilot') },
  { value: 'opencode', label: 'opencode', way: 'hooks', docs: adapter('opencode') },
  {
    value: 'acp',
    label: 'ACP (Experimental)',
    way: 'acp',
    docs: adapter('acp'),
    limit: 'calls for which the agent asks no permission',
  },
  {
    value: 'claude-agent-sdk',
    label: 'Agent SDK',
    way: 'program',
    packages: ['@anthropic-ai/claude-agent-sdk'],
    docs: adapter('claude-agent-sdk'),
  },
  {
    value: 'typescript',
    label: 'TypeScript',
    way: 'library',
    docs: '/docs/concepts/decisions',
    limit: 'calls that your code does not check',
  },
  {
    value: 'http',
    label: 'HTTP',
    way: 'http',
    docs: '/docs/agents/protocol',
    limit: 'calls that your code does not check',
  },
] as const satisfies readonly ConnectAgent[]

export type ConnectAgentName = (typeof CONNECT_AGENTS)[number]['value']

export const CONNECT_AGENT_NAMES = CONNECT_AGENTS.map(({ value }) => value)

export function findConnectAgent(name: ConnectAgentName): ConnectAgent {
  return CONNECT_AGENTS.find(({ value }) => value === name) ?? CONNECT_AGENTS[0]
}
