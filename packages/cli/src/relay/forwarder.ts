// Sends spooled batches on, oldest first, one key at a time after the other's failures: each with the key that it came with.
import { gzipSync } from 'node:zlib'
import { EventsResponse } from '@signalbox/wire'
import type { EventSpool, SpooledBatch } from './event-spool.ts'
import type { KnownKeys } from './known-keys.ts'
import type { Upstream, UpstreamAnswer } from './upstream.ts'

const REFUSED_MS = 30_000
const LONGEST_RETRY_AFTER_MS = 60_000

export interface ForwarderParts {
  readonly spool: EventSpool
  readonly keys: KnownKeys
  readonly upstream: Upstream
  readonly report: (line: string) => void
}

/** A batch is removed from the disk only when the control plane answered 200 for it. */
export class Forwarder {
  readonly #parts: ForwarderParts
  readonly #running = new Map<string, Promise<void>>()
  readonly #reported = new Set<string>()
  #stopped = false

  constructor(parts: ForwarderParts) {
    this.#parts = parts
  }

  /** Something changed: the control plane is back, a key is known again, a batch came. */
  wake(): void {
    for (const hash of this.#parts.spool.waiting()) {
      if (this.#stopped || this.#running.has(hash)) continue
      this.#running.set(hash, this.#run(hash))
    }
  }

  /** Lets the requests that are on their way end. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running.values())
  }

  async #run(hash: string): Promise<void> {
    const isDone = await this.#forward(hash).catch((error: unknown) => {
      this.#say(hash, `cannot be forwarded: ${String(error)}`)
      return false
    })
    this.#running.delete(hash)
    // One may have come after the last look.
    if (isDone && !this.#parts.spool.isEmpty(hash)) this.wake()
  }

  /** True: nothing is left. False: it must wait for something. */
  async #forward(hash: string): Promise<boolean> {
    const { spool, keys, upstream } = this.#parts
    while (!this.#stopped) {
      const secret = keys.secretOf(hash)
      const batch = spool.oldest(hash)
      if (batch === null) return true
      if (secret === null) return false
      const answer = await upstream.send({
        method: 'POST',
        path: 'events',
        secret,
        headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
        body: gzipSync(batch.lines, { level: 1 }),
      })
      if (answer === null) return false
      if (answer.status !== 200) {
        this.#later(hash, answer)
        return false
      }
      this.#taken(hash, batch, answer)
    }
    return false
  }

  #taken(hash: string, batch: SpooledBatch, answer: UpstreamAnswer): void {
    const { spool } = this.#parts
    const told = EventsResponse.safeParse(JSON.parse(answer.body.toString('utf8')))
    if (!told.success) throw new Error('the answer was not understood')
    const { errors } = told.data
    if (errors.length > 0) {
      const lines = batch.lines.split('\n')
      spool.setAside(
        hash,
        errors.map(({ line }) => lines[line - 1] ?? ''),
      )
      this.#parts.report(
        `${errors.length} events of key ${hash.slice(0, 8)} were refused: ${errors[0]?.detail ?? ''}`,
      )
    }
    spool.remove(hash, batch.name)
    this.#reported.delete(hash)
  }

  /** The batch stays; it is tried again when the control plane asks for that, or after half a minute. */
  #later(hash: string, { status, headers }: UpstreamAnswer): void {
    if (status !== 429) this.#say(hash, `wait on disk: the control plane answered ${status}`)
    const seconds = Number(headers.get('retry-after'))
    const ms =
      status === 429 && seconds > 0 ? Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS) : REFUSED_MS
    setTimeout(() => this.wake(), ms).unref()
  }

  /** Once per key until something gets through. */
  #say(hash: string, what: string): void {
    if (this.#reported.has(hash)) return
    this.#reported.add(hash)
    this.#parts.report(`events of key ${hash.slice(0, 8)} ${what}`)
  }
}
