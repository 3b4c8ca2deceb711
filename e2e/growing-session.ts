// Notes are chained like a runtime's.
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { SessionEvent } from '@signalbox/core'
import { eventHash, newId } from '@signalbox/wire'

export class GrowingSession {
  readonly id = newId('sess', { now: Date.now(), random: randomBytes(16) })
  readonly #target: { readonly url: string; readonly key: string }
  #newest: SessionEvent | null = null
  #unsent: string[] = []
  #sending: Promise<void> = Promise.resolve()

  constructor(target: { readonly url: string; readonly key: string }) {
    this.#target = target
    this.#add('session.started', {
      ns: 'live',
      key: 'growing',
      environment: 'dev',
      harness: { name: 'test' },
    })
  }

  get seq(): number {
    return this.#newest?.seq ?? 0
  }

  #add(type: string, data: object): void {
    const before = this.#newest
    const event = {
      session: this.id,
      seq: this.seq + 1,
      at: Date.now(),
      type,
      data,
      ...(before === null ? {} : { prev: eventHash(before) }),
      // Type and data belong together, but the spread loses that relation.
    } as SessionEvent
    this.#newest = event
    this.#unsent.push(JSON.stringify(event))
  }

  /** Resolves when all added events are stored. Retries while the server is unreachable. */
  async grow(notes: number): Promise<void> {
    for (let i = 0; i < notes; i++) this.#add('note', { text: `sent at ${Date.now()}` })
    this.#sending = this.#sending.then(() => this.#send())
    await this.#sending
  }

  /** Resolves when both events are stored. */
  async refuse(): Promise<void> {
    const of = { pointer: '', params: {}, because: [] }
    this.#add('tool.decided', {
      call_id: 'c',
      tool: 'deploy',
      decision: 'denied',
      reason: 'No.',
      rules: [
        {
          ...of,
          rule: 'tests-first',
          type: 'custom',
          mode: 'enforce',
          result: 'deny',
          code: 'custom.denied',
          reason_class: 'rule_said_no',
        },
      ],
    })
    this.#add('stop.attempted', { via: 'turn_end' })
    this.#add('stop.decided', {
      attempt: 1,
      verdict: 'blocked',
      prior_blocks: 0,
      code: 'plan.open_steps',
      params: { open: 1, total: 2 },
      message: 'Go on.',
      check: null,
    })
    await this.grow(0)
  }

  /** The returned function resolves when all notes are stored. */
  growSteadily(perSecond: number): () => Promise<void> {
    const timer = setInterval(() => void this.grow(1), 1000 / perSecond)
    return async () => {
      clearInterval(timer)
      await this.grow(0)
    }
  }

  async end(): Promise<void> {
    this.#add('session.ended', { reason: 'completed' })
    await this.grow(0)
  }

  async #send(): Promise<void> {
    while (this.#unsent.length > 0) {
      const batch = this.#unsent.slice(0, 1_000)
      const isStored = await this.#post(`${batch.join('\n')}\n`)
      if (isStored) this.#unsent = this.#unsent.slice(batch.length)
      else await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }

  async #post(lines: string): Promise<boolean> {
    const { url, key } = this.#target
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    }
    const body = gzipSync(lines)
    return await fetch(`${url}/api/runtime/v1/events`, { method: 'POST', headers, body }).then(
      ({ ok }) => ok,
      () => false,
    )
  }
}
