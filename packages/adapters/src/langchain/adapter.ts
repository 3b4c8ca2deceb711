import type { Adapter } from '../base/adapter.ts'

export const langchainAdapter: Adapter = {
  name: 'langchain',
  title: 'LangChain',
  asks: 'middleware',
  peers: ['@langchain/core', 'langchain'],
  daemon: null,
  init: null,
}
