// A relay of ten thousand runtimes receives a thousand heartbeats a second, and most of what one costs the control plane is its request.
import type { JsonObject } from '@signalbox/core'
import { HeartbeatsResponse, MOST_HEARTBEATS } from '@signalbox/wire'
import { toJsonPost, type Upstream, type UpstreamAnswer } from './upstream.ts'

/** Shortest time between two requests with one key, to gather more. An idle key sends at once. */
const GATHER_MS = 100

interface Waiting {
  readonly report: JsonObject
  readonly resolve: (answer: UpstreamAnswer | null) => void
}

export class GatheredHeartbeats {
  readonly #upstream: Pick<Upstream, 'send'>
  /** By secret; a key is present while it sends or rests. */
  readonly #waiting = new Map<string, Waiting[]>()
  /** False: the control plane is from before this request, or refused it. */
  #isSupported = true

  constructor(upstream: Pick<Upstream, 'send'>) {
    this.#upstream = upstream
  }

  /** Call when the control plane is back: it may be a newer version. */
  tryAgain(): void {
    this.#isSupported = true
  }

  /** The answer of the control plane, as if the heartbeat had been sent alone; null: it is unreachable. `report` is a valid heartbeat. */
  send(secret: string, report: JsonObject): Promise<UpstreamAnswer | null> {
    if (!this.#isSupported) return this.#sendAlone(secret, report)
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(secret)
      if (waiting !== undefined) {
        waiting.push({ report, resolve })
        return
      }
      this.#waiting.set(secret, [{ report, resolve }])
      void this.#run(secret)
    })
  }

  /** Never rejects. */
  async #run(secret: string): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(secret) ?? []
      if (waiting.length === 0) break
      await this.#settle(secret, waiting.splice(0, MOST_HEARTBEATS))
      if (waiting.length < MOST_HEARTBEATS) await rest()
    }
    this.#waiting.delete(secret)
  }

  async #settle(secret: string, batch: readonly Waiting[]): Promise<void> {
    const isAlone = batch.length === 1 || !this.#isSupported
    const answers = isAlone ? null : await this.#sendTogether(secret, batch)
    await Promise.all(
      batch.map(async ({ report, resolve }, index) => {
        resolve(answers === null ? await this.#sendAlone(secret, report) : (answers[index] ?? null))
      }),
    )
  }

  /** null: the control plane does not take them together, so each must be sent alone. */
  async #sendTogether(
    secret: string,
    batch: readonly Waiting[],
  ): Promise<readonly (UpstreamAnswer | null)[] | null> {
    const heartbeats = batch.map(({ report }) => report)
    const answer = await this.#upstream.send(toJsonPost('heartbeats', secret, { heartbeats }))
    if (answer === null) return batch.map(() => null)
    const { status, headers } = answer
    if (status === 404 || status === 405) {
      this.#isSupported = false
      return null
    }
    // One of them is invalid for the control plane, or all together are too large.
    if (status === 413 || status === 422) return null
    if (status !== 200) return batch.map(() => answer)
    const parsed = HeartbeatsResponse.safeParse(parseAnswers(answer.body))
    if (!parsed.success) return null
    return batch.map((_, index) => {
      const one = parsed.data.answers[index]
      if (one === undefined) return null
      return one === null ? UNKNOWN : { status, headers, body: Buffer.from(JSON.stringify(one)) }
    })
  }

  #sendAlone(secret: string, report: JsonObject): Promise<UpstreamAnswer | null> {
    return this.#upstream.send(toJsonPost('heartbeat', secret, report))
  }
}

const UNKNOWN: UpstreamAnswer = {
  status: 404,
  headers: new Headers({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' }),
  body: Buffer.from(
    JSON.stringify({
      type: 'about:blank',
      title: 'Not found',
      status: 404,
      detail: 'This runtime is not known here. Register it first.',
    }),
  ),
}

function parseAnswers(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

function rest(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, GATHER_MS).unref()
  })
}
