import type { Adapter } from '../base/adapter.ts'

export const acpAdapter: Adapter = {
  name: 'acp',
  title: 'ACP agents',
  asks: 'proxy, experimental',
  peers: ['@agentclientprotocol/sdk'],
  daemon: null,
  init: null,
}
