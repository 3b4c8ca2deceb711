// A failure of one key does not delay the others.

import { gzipSync } from 'node:zlib'
import { plural } from '@signalbox/core/analysis'
import { EventsResponse } from '@signalbox/wire'
import type { EventSpool, SpooledBatch } from './event-spool.ts'
import type { KnownKeys } from './known-keys.ts'
import type { Upstream, UpstreamAnswer } from './upstream.ts'

const REFUSED_MS = 30_000
const LONGEST_RETRY_AFTER_MS = 60_000
/** Limit of one uncompressed request, below the control plane's limit for any events. */
const MOST_BYTES = 4 * 1024 * 1024
const TOO_LARGE = 413
/** Statuses that a retry of the same request cannot change. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, TOO_LARGE, 415, 422])
const FAILED = 500
/** A healthy control plane that fails on the same events for this long will fail on them again. */
const PATIENCE_MS = 60 * 60_000

export interface ForwarderParts {
  readonly spool: EventSpool
  readonly keys: KnownKeys
  readonly upstream: Pick<Upstream, 'send'>
  readonly report: (line: string) => void
}

interface Sending {
  readonly hash: string
  readonly secret: string
  readonly batch: SpooledBatch
}

/**
 * A batch leaves the queue when the control plane has stored all of it or the relay has set it aside. States of a key: idle (nothing waits,
 * or its secret is unknown) → sending → idle, or → waiting (for a time, or for the control plane) → sending.
 */
export class Forwarder {
  readonly #parts: ForwarderParts
  readonly #running = new Map<string, Promise<void>>()
  readonly #waits = new Map<string, NodeJS.Timeout>()
  readonly #again = new Set<string>()
  readonly #reported = new Set<string>()
  /** Start of the failures of the events that each key sends next, epoch milliseconds. */
  readonly #failingSince = new Map<string, number>()
  #stopped = false

  constructor(parts: ForwarderParts) {
    this.#parts = parts
  }

  /** Call when the control plane is back or a secret becomes known: ends all waits. */
  wake(): void {
    for (const hash of this.#parts.spool.waiting()) {
      if (this.#running.has(hash)) this.#again.add(hash)
      else this.#start(hash)
    }
  }

  /** Call when a batch has arrived. It does not end a wait of earlier batches. */
  notice(hash: string): void {
    if (!this.#waits.has(hash)) this.#start(hash)
  }

  #start(hash: string): void {
    if (this.#stopped || this.#running.has(hash)) return
    clearTimeout(this.#waits.get(hash))
    this.#waits.delete(hash)
    this.#running.set(hash, this.#run(hash))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const timer of this.#waits.values()) clearTimeout(timer)
    await Promise.all(this.#running.values())
  }

  async #run(hash: string): Promise<void> {
    const isDone = await this.#forward(hash).catch((error: unknown) => {
      this.#reportOnce(
        hash,
        `cannot be forwarded: ${error instanceof Error ? error.message : error}`,
      )
      this.#wait(hash, REFUSED_MS)
      return false
    })
    this.#running.delete(hash)
    // A batch may have arrived after the last check.
    const isLeft = isDone && !this.#parts.spool.isEmpty(hash)
    if (this.#again.delete(hash) || isLeft) this.#start(hash)
  }

  /** True: nothing is left. False: the key must wait. */
  async #forward(hash: string): Promise<boolean> {
    const { spool, keys } = this.#parts
    while (!this.#stopped) {
      const secret = keys.findSecret(hash)
      const batch = spool.oldest(hash)
      if (batch === null) return true
      if (secret === null) return false
      if (batch.lines === null) {
        spool.moveAside(hash, batch.name)
        this.#parts.report(
          `a batch of key ${shortenHash(hash)} cannot be read; it is in set-aside/`,
        )
      } else if (!(await this.#sendAll({ hash, secret, batch }, batch.lines))) return false
    }
    return false
  }

  /** True: the whole batch is stored or set aside, and has left the queue. */
  async #sendAll(sending: Sending, lines: string): Promise<boolean> {
    const { hash, batch } = sending
    const { spool } = this.#parts
    const left = splitLines(lines)
    const whole = left.length
    try {
      for (let part = left[0]; part !== undefined; part = left[0]) {
        const after = this.#stopped ? 'wait' : await this.#sendOne(sending, part)
        if (after === 'wait') return false
        left.splice(0, 1, ...(after === 'smaller' ? splitPart(part) : []))
      }
      spool.remove(hash, batch.name)
      return true
    } finally {
      // Stored events are not sent again.
      if (left.length > 0 && left.length !== whole)
        await spool.shrink(hash, batch.name, left.join('')).catch(() => undefined)
    }
  }

  async #sendOne(sending: Sending, part: string): Promise<'done' | 'smaller' | 'wait'> {
    const { hash, secret, batch } = sending
    const answer = await this.#parts.upstream.send({
      method: 'POST',
      path: 'events',
      secret,
      headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
      body: gzipSync(part, { level: 1 }),
    })
    // The forwarder is woken when the control plane is back.
    if (answer === null) return 'wait'
    const { status } = answer
    if (status === TOO_LARGE && splitPart(part).length > 1) return 'smaller'
    if (status === 200) this.#keepRefused(hash, part, answer)
    else if (FINAL_STATUSES.has(status) || this.#isFailingTooLong(hash, status)) {
      await this.#parts.spool.keepAside(hash, batch.name, part)
      this.#parts.report(
        `events of key ${shortenHash(hash)} are set aside, in set-aside/: the control plane answered ${status}`,
      )
    } else {
      this.#retryLater(hash, answer)
      return 'wait'
    }
    this.#failingSince.delete(hash)
    return 'done'
  }

  #keepRefused(hash: string, part: string, answer: UpstreamAnswer): void {
    const parsed = EventsResponse.safeParse(parseForwardedJson(answer.body))
    if (!parsed.success) throw new Error('the response has an unknown format')
    const { errors } = parsed.data
    this.#reported.delete(hash)
    if (errors.length === 0) return
    const lines = part.split('\n')
    this.#parts.spool.keepRefused(
      hash,
      errors.map(({ line }) => lines[line - 1] ?? ''),
    )
    this.#parts.report(
      `${plural(errors.length, 'event')} of key ${shortenHash(hash)} ${errors.length === 1 ? 'was' : 'were'} refused: ${errors[0]?.detail ?? ''}`,
    )
  }

  #isFailingTooLong(hash: string, status: number): boolean {
    if (status !== FAILED) return false
    const since = this.#failingSince.get(hash) ?? Date.now()
    this.#failingSince.set(hash, since)
    return Date.now() - since >= PATIENCE_MS
  }

  /** Keeps the batch, and retries it after the `Retry-After` of a 429 or after half a minute. */
  #retryLater(hash: string, { status, headers }: UpstreamAnswer): void {
    if (status !== 429) this.#reportOnce(hash, `wait on disk: the control plane answered ${status}`)
    const seconds = Number(headers.get('retry-after'))
    const isTold = status === 429 && seconds > 0
    this.#wait(hash, isTold ? Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS) : REFUSED_MS)
  }

  #wait(hash: string, ms: number): void {
    if (this.#stopped) return
    const timer = setTimeout(() => {
      this.#waits.delete(hash)
      this.#start(hash)
    }, ms)
    this.#waits.set(hash, timer.unref())
  }

  #reportOnce(hash: string, what: string): void {
    if (this.#reported.has(hash)) return
    this.#reported.add(hash)
    this.#parts.report(`events of key ${shortenHash(hash)} ${what}`)
  }
}

function shortenHash(hash: string): string {
  return hash.slice(0, 8)
}

function parseForwardedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

function splitLines(lines: string): string[] {
  const bytes = Buffer.from(lines)
  const parts: string[] = []
  for (let from = 0; from < bytes.length; ) {
    const most = from + MOST_BYTES
    const end = most >= bytes.length ? bytes.length : lineEnd(bytes, from, most)
    parts.push(bytes.toString('utf8', from, end))
    from = end
  }
  return parts
}

/** A longer line is a separate part. */
function lineEnd(bytes: Buffer, from: number, most: number): number {
  const before = bytes.lastIndexOf('\n', most - 1)
  if (before >= from) return before + 1
  const after = bytes.indexOf('\n', most)
  return after < 0 ? bytes.length : after + 1
}

function splitPart(part: string): readonly string[] {
  const middle = part.indexOf('\n', Math.floor(part.length / 2)) + 1
  const cut = middle > 0 && middle < part.length ? middle : part.indexOf('\n') + 1
  return cut > 0 && cut < part.length ? [part.slice(0, cut), part.slice(cut)] : [part]
}
