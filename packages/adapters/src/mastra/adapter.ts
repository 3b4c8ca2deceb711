import type { Adapter } from '../base/adapter.ts'

export const mastraAdapter: Adapter = {
  name: 'mastra',
  title: 'Mastra',
  asks: 'hooks and processors',
  peers: ['@mastra/core'],
  daemon: null,
  init: null,
}
