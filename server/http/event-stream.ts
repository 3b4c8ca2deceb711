// Server-sent events, written for as long as the reader reads.
import type { ServerResponse } from 'node:http'

/** Unread bytes at which a reader counts as stalled: several bundles of the largest size that is pushed. */
const MOST_UNREAD = 1024 * 1024

export interface EventOutlet {
  /** Does nothing once the stream has ended. Never throws. */
  readonly send: (chunk: Uint8Array) => void
  readonly close: () => void
}

/**
 * Starts to write, and resolves with the function that stops it, which is called once, whichever side ends the stream. A reader that stalls
 * loses the stream and its unread data.
 */
type OpenEvents = (outlet: EventOutlet) => Promise<() => void>

/** A body for callers that read the Web response. */
export function eventStream(signal: AbortSignal, open: OpenEvents): ReadableStream<Uint8Array> {
  let ended = false
  let leave = (): void => undefined
  const end = (): void => {
    if (ended) return
    ended = true
    leave()
  }
  return new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        const close = (): void => {
          if (ended) return
          end()
          // The reader may have closed it first.
          if (!signal.aborted) controller.close()
        }
        const send = (chunk: Uint8Array): void => {
          if (ended) return
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) >= 0) return
          end()
          controller.error(new Error('The reader of a stream of events has stalled.'))
        }
        signal.addEventListener('abort', close, { once: true })
        try {
          const opened = await open({ send, close })
          if (ended) opened()
          else leave = opened
        } catch (error) {
          end()
          throw error
        }
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_UNREAD }),
  )
}

/**
 * Writes to Node's response, because a stream of the Web takes as much memory as the connection below it. Resolves once the stream is open,
 * and rejects when `open` does before it sends anything.
 */
export async function writeEvents(
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
  open: OpenEvents,
): Promise<void> {
  let ended = false
  let leave = (): void => undefined
  const end = (): void => {
    if (ended) return
    ended = true
    leave()
  }
  const close = (): void => {
    if (ended) return
    end()
    outgoing.end()
  }
  const send = (chunk: Uint8Array): void => {
    if (ended) return
    if (!outgoing.headersSent) outgoing.writeHead(200, headers)
    outgoing.write(chunk)
    if (outgoing.writableLength <= MOST_UNREAD) return
    end()
    outgoing.destroy()
  }
  outgoing.once('close', end)
  try {
    const opened = await open({ send, close })
    if (ended) opened()
    else leave = opened
  } catch (error) {
    end()
    if (!outgoing.headersSent) throw error
    outgoing.destroy()
  }
}
