import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'

export interface AcpEnd {
  onmessage?: (message: AnyMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  /** Rejects if there is no peer. */
  start(): Promise<void>
  /** Rejects if the other side is gone. */
  send(message: AnyMessage): Promise<void>
  close(): Promise<void>
}

export function streamEnd(stream: Stream): AcpEnd {
  return new StreamEnd(stream)
}

class StreamEnd implements AcpEnd {
  onmessage?: (message: AnyMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #reader: ReadableStreamDefaultReader<AnyMessage>
  readonly #writer: WritableStreamDefaultWriter<AnyMessage>
  #isClosed = false

  constructor({ readable, writable }: Stream) {
    this.#reader = readable.getReader()
    this.#writer = writable.getWriter()
  }

  async start(): Promise<void> {
    void this.#readAll()
  }

  send(message: AnyMessage): Promise<void> {
    return this.#writer.write(message)
  }

  async close(): Promise<void> {
    this.#closed()
    // Not awaited, because the other side may no longer read.
    this.#writer.close().catch(() => undefined)
    await this.#reader.cancel().catch(() => undefined)
  }

  async #readAll(): Promise<void> {
    try {
      for (;;) {
        const { value, done } = await this.#reader.read()
        if (done) break
        this.onmessage?.(value)
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
    this.#closed()
  }

  #closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onclose?.()
  }
}
