// The relay: it takes the place of a control plane that runtimes cannot reach (specs/relay.md).
export {
  RelayError,
  type RelayServerOptions,
  type RunningRelay,
  startRelay,
} from './relay-server.ts'
