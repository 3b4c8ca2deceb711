// tRPC does not expose the server's heartbeats: without them, a broken connection whose socket stays open looks like a quiet one.

const listeners = new Set<(at: number) => void>()

/** Calls `listener` with the time of each message or heartbeat (epoch ms) until the returned function is called. */
export function onServerMessage(listener: (at: number) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const HEARD = ['connected', 'ping', 'message'] as const

/** Undefined on the server, which has no event source. */
export const ReportingEventSource =
  typeof EventSource === 'undefined'
    ? undefined
    : class extends EventSource {
        constructor(url: string | URL, init?: EventSourceInit) {
          super(url, init)
          for (const type of HEARD) {
            this.addEventListener(type, () => {
              for (const listener of listeners) listener(Date.now())
            })
          }
        }
      }
