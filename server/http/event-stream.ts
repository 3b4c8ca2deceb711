import type { ServerResponse } from 'node:http'

/** Unread bytes at which a reader counts as stalled: several bundles of the largest size that is pushed. */
const MOST_UNREAD = 1024 * 1024

export interface EventOutlet {
  /** Does nothing once the stream has ended. Never throws. */
  readonly send: (chunk: Uint8Array) => void
  readonly close: () => void
}

/** Resolves with the function that stops it, called once, whichever side ends. A reader that stalls loses the stream and its unread data. */
type OpenEvents = (outlet: EventOutlet) => Promise<() => void>

class Lifetime {
  hasEnded = false
  #leave = (): void => undefined

  /** False: it had ended. */
  end(): boolean {
    if (this.hasEnded) return false
    this.hasEnded = true
    this.#leave()
    return true
  }

  /** `leave` is called at the end, or at once if it has ended. */
  open(leave: () => void): void {
    if (this.hasEnded) leave()
    else this.#leave = leave
  }
}

export function eventStream(signal: AbortSignal, open: OpenEvents): ReadableStream<Uint8Array> {
  const life = new Lifetime()
  return new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        const close = (): void => {
          // The reader may have closed it first.
          if (life.end() && !signal.aborted) controller.close()
        }
        const send = (chunk: Uint8Array): void => {
          if (life.hasEnded) return
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) >= 0) return
          life.end()
          controller.error(new Error('The reader of a stream of events has stalled.'))
        }
        signal.addEventListener('abort', close, { once: true })
        try {
          life.open(await open({ send, close }))
        } catch (error) {
          life.end()
          throw error
        }
      },
      cancel: () => void life.end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_UNREAD }),
  )
}

/** A stream of the Web would take as much memory as the connection below it. Rejects when `open` does before it sends anything. */
export async function writeEvents(
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
  open: OpenEvents,
): Promise<void> {
  const life = new Lifetime()
  const close = (): void => {
    if (life.end()) outgoing.end()
  }
  const send = (chunk: Uint8Array): void => {
    if (life.hasEnded) return
    if (!outgoing.headersSent) outgoing.writeHead(200, headers)
    outgoing.write(chunk)
    if (outgoing.writableLength <= MOST_UNREAD) return
    life.end()
    outgoing.destroy()
  }
  outgoing.once('close', () => life.end())
  try {
    life.open(await open({ send, close }))
  } catch (error) {
    life.end()
    if (!outgoing.headersSent) throw error
    outgoing.destroy()
  }
}
