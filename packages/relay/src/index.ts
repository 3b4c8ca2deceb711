// The relay: stands in for a control plane that runtimes cannot reach (specs/relay.md).
export {
  RelayError,
  type RelayServerOptions,
  type RunningRelay,
  startRelay,
} from './relay-server.ts'
