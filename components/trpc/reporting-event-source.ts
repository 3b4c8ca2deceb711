// The browser's event source, which also reports when it last received anything: tRPC does not pass on the server's heartbeats, and without
// them a cut connection that closes no socket would look like a quiet minute.

const listeners = new Set<(at: number) => void>()

/** Calls `listener` with the time (epoch ms) of everything that comes, until the returned function is called. */
export function onServerMessage(listener: (at: number) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const HEARD = ['connected', 'ping', 'message'] as const

/** Absent on the server, which subscribes to nothing. */
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
