// The disk has only hashes. The keys are in memory, because events are forwarded with them, and become known again when a runtime presents
// them.
import { createHash } from 'node:crypto'
import path from 'node:path'
import type { JsonObject } from '@signalbox/core'
import { readKept, writeDurably } from './durable-file.ts'

export type KeyScope = 'read' | 'ingest'

const FORM = /^sbx_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/
const SCOPES: readonly KeyScope[] = ['read', 'ingest']

/** SHA-256, hex, unsalted: a key holds 256 random bits. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Key of the request; null: none of the right form. */
export function secretIn(authorization: string | undefined): string | null {
  const secret = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? ''
  return FORM.test(secret) ? secret : null
}

export class KnownKeys {
  readonly #file: string
  readonly #scopes = new Map<string, Set<KeyScope>>()
  readonly #secrets = new Map<string, string>()
  #writing: Promise<void> = Promise.resolve()

  constructor(folder: string, report: (line: string) => void) {
    this.#file = path.join(folder, 'keys.json')
    const kept = readKept(this.#file, report) ?? {}
    for (const [hash, scopes] of parseScopes(kept)) this.#scopes.set(hash, scopes)
  }

  get size(): number {
    return this.#scopes.size
  }

  isKnown(secret: string, scope: KeyScope): boolean {
    return this.#scopes.get(hashSecret(secret))?.has(scope) ?? false
  }

  /** null: no request with the key has arrived since this process started. */
  findSecret(hash: string): string | null {
    return this.#secrets.get(hash) ?? null
  }

  /** Keeps the secret in memory, so that data that waits for the key can be sent. */
  hold(secret: string): void {
    this.#secrets.set(hashSecret(secret), secret)
  }

  async letIn(secret: string, scope: KeyScope): Promise<void> {
    this.hold(secret)
    const hash = hashSecret(secret)
    const scopes = this.#scopes.get(hash) ?? new Set()
    if (scopes.has(scope)) return
    this.#scopes.set(hash, scopes.add(scope))
    await this.#write()
  }

  /** Call when the control plane refuses the key. Its spooled events keep waiting. */
  async refused(secret: string): Promise<void> {
    if (this.#scopes.delete(hashSecret(secret))) await this.#write()
  }

  #write(): Promise<void> {
    const write = async (): Promise<void> => {
      const rows = [...this.#scopes].map(([hash, scopes]) => [hash, [...scopes]])
      await writeDurably(this.#file, JSON.stringify(Object.fromEntries(rows)))
    }
    this.#writing = this.#writing.then(write, write)
    return this.#writing
  }
}

function parseScopes(kept: JsonObject): readonly (readonly [string, Set<KeyScope>])[] {
  return Object.entries(kept).map(([hash, scopes]) => [
    hash,
    new Set(SCOPES.filter((scope) => Array.isArray(scopes) && scopes.includes(scope))),
  ])
}
