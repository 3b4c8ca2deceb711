// A server of a daemon, from its first connection to its last answer.
import type net from 'node:net'

export interface Listener {
  readonly server: net.Server
  /** Cuts open connections. */
  readonly cut: () => void
}

/** Service managers kill after this time. */
export const CLOSING_MS = 10_000

export function listening(server: net.Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => {
      // A later error is a connection that could not be accepted. Its request is refused; the others continue.
      server.off('error', reject).on('error', () => undefined)
      resolve()
    })
    listen()
  })
}

/** Answers open requests first, within the time limit. A client whose connection is cut refuses the call. */
export function closed({ server, cut }: Listener, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cutting = setTimeout(cut, withinMs)
    server.close(() => {
      clearTimeout(cutting)
      resolve()
    })
  })
}
