export { type AcpEnd, streamEnd } from './acp-end.ts'
export {
  type AcpProxy,
  type AcpProxyOptions,
  startAcpProxy,
} from './acp-proxy.ts'
export type { NewAcpSession } from './acp-sessions.ts'
export { ACP_CAPABILITIES, acpProfile } from './capabilities.ts'
