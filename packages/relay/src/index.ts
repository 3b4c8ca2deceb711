// The relay: serves runtimes in place of a control plane that they cannot reach (specs/relay.md).
export {
  RelayError,
  type RelayServerOptions,
  type RunningRelay,
  startRelay,
} from './relay-server.ts'
