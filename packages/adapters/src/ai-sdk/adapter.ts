import type { Adapter } from '../base/adapter.ts'

export const aiSdkAdapter: Adapter = {
  name: 'ai-sdk',
  title: 'AI SDK 6, 7',
  asks: 'in process',
  peers: ['ai'],
  daemon: null,
  init: null,
}
