import type { Adapter } from '../base/adapter.ts'

export const langgraphAdapter: Adapter = {
  name: 'langgraph',
  title: 'LangGraph',
  asks: 'nodes in the graph',
  peers: ['@langchain/core', '@langchain/langgraph'],
  daemon: null,
  init: null,
}
