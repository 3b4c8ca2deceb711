// Browsers allow six connections to an HTTP/1.1 server, so a connection per tab would block the seventh: one tab listens for all.
import { type Connection, LIVE, type LiveSignal } from './signal.ts'

export interface HubChannel {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
}

type Message =
  | { readonly kind: 'signal'; readonly signal: LiveSignal }
  | { readonly kind: 'connection'; readonly connection: Connection }
  /** A new tab asks the leader for the connection state. */
  | { readonly kind: 'who' }
  /** A tab asks the leader to reconnect now. */
  | { readonly kind: 'retry' }

export interface LiveHub {
  listen(listener: (signal: LiveSignal) => void): () => void
  connection(): Connection
  onConnection(listener: () => void): () => void
  /** `reconnect` is called for each `retry` of any tab. */
  lead(reconnect: () => void): void
  retry(): void
  publish(signal: LiveSignal): void
  setConnection(connection: Connection): void
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'kind' in value
}

export function createHub(channel: HubChannel | null): LiveHub {
  const listeners = new Set<(signal: LiveSignal) => void>()
  const watchers = new Set<() => void>()
  // A page that was just loaded is up to date.
  let connection = LIVE
  /** Undefined: another tab leads. */
  let onRetry: (() => void) | undefined

  const post = (message: Message): void => channel?.postMessage(message)
  const deliver = (signal: LiveSignal): void => {
    for (const listener of listeners) listener(signal)
  }
  const show = (next: Connection): void => {
    if (next.state === connection.state && next.since === connection.since) return
    connection = next
    for (const watcher of watchers) watcher()
  }

  channel?.addEventListener('message', ({ data }) => {
    if (!isMessage(data)) return
    if (data.kind === 'who') {
      if (onRetry) post({ kind: 'connection', connection })
    } else if (data.kind === 'retry') onRetry?.()
    else if (!onRetry) {
      if (data.kind === 'signal') deliver(data.signal)
      else show(data.connection)
    }
  })
  post({ kind: 'who' })

  return {
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    connection: () => connection,
    onConnection(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    lead(reconnect) {
      onRetry = reconnect
    },
    retry() {
      if (onRetry) onRetry()
      else post({ kind: 'retry' })
    },
    publish(signal) {
      post({ kind: 'signal', signal })
      deliver(signal)
    },
    setConnection(next) {
      post({ kind: 'connection', connection: next })
      show(next)
    },
  }
}
