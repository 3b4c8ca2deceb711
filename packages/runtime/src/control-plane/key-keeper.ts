// Fetches the key records when the server announces new ones, or when an unknown key signed a bundle (specs/keys.md).
import { computeKeyId, MOST_KEYS_REPORTED } from '@signalbox/wire'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { type ConfigMemory, rememberedTrust, toTrust } from './config-memory.ts'
import type { DataPlane } from './data-plane.ts'
import { advancedTo, learned, type Trust } from './key-chain.ts'

export interface KeyKeeperParts {
  readonly plane: DataPlane
  readonly memory: ConfigMemory
  readonly report: OnDiagnostic
}

export class KeyKeeper {
  readonly #parts: KeyKeeperParts
  /** Digest of the server's key records; null: the server does not support them. */
  #announced: string | null = null
  #read: string | null = null
  /** Signature of the bundle for which records were last fetched. The same bundle triggers no second request. */
  #askedFor = ''
  #disputed = ''

  constructor(parts: KeyKeeperParts) {
    this.#parts = parts
  }

  get #trust(): Trust {
    return toTrust(this.#parts.memory.held)
  }

  /** Key of the bundle in force; empty: none is known yet. */
  get current(): string {
    return this.#trust.key
  }

  get believed(): readonly string[] {
    const { key, next } = this.#trust
    return key === '' ? [] : [key, ...next]
  }

  /** Heartbeat field with the ids of trusted keys; empty for a server that does not support it. */
  toHeartbeatField(): { readonly keys?: string[] } {
    if (this.#announced === null) return {}
    return { keys: this.believed.slice(0, MOST_KEYS_REPORTED).map(computeKeyId) }
  }

  /** `digest`: of the server's key records; undefined: the server does not support them. */
  announce(digest: string | undefined): void {
    this.#announced = digest ?? null
  }

  get isBehind(): boolean {
    return this.#announced !== null && this.#announced !== this.#read
  }

  /** Fetches the records if they changed. True: there is a change to report. */
  async catchUp(): Promise<boolean> {
    const { place } = this.#parts.memory.held
    if (place === null || !this.isBehind) return false
    return await this.#learn(place.project)
  }

  /** Fetches records after an unknown key signed a bundle. True: trust changed, so the bundle may be opened again. */
  async seek(signature: string, claimedProject: string | null): Promise<boolean> {
    const project = this.#parts.memory.held.place?.project ?? claimedProject
    if (project === null || this.#askedFor === signature) return false
    this.#askedFor = signature
    return await this.#learn(project)
  }

  /** Trust to store with a bundle signed by `key`, so that the same write supersedes earlier keys. */
  advance(key: string): ReturnType<typeof rememberedTrust> {
    const before = this.#trust
    const after = advancedTo(before, key)
    if (after !== before)
      this.#parts.report({
        level: 'info',
        code: 'signing_key_changed',
        message: `Bundles are now signed by the key ${computeKeyId(key)}; ${computeKeyId(before.key)} is no longer trusted.`,
      })
    return rememberedTrust(after)
  }

  async #learn(project: string): Promise<boolean> {
    const answer = await this.#parts.plane.fetchKeys()
    if (!answer.ok) {
      // Without an answer, the same bundle may trigger another request.
      if (answer.kind === 'retry') this.#askedFor = ''
      return false
    }
    this.#read = answer.value.digest
    const before = this.#trust
    const { trust, disputed } = learned(before, answer.value.records, project)
    if (disputed !== null) this.#dispute(disputed)
    if (trust.next.length === before.next.length) return false
    this.#parts.memory.remember(rememberedTrust(trust))
    return true
  }

  #dispute(key: string): void {
    if (this.#disputed === key) return
    this.#disputed = key
    this.#parts.report({
      level: 'error',
      code: 'signing_key_disputed',
      message: `More than one key claims to follow the signing key ${computeKeyId(key)}. Only the first one that this machine received is trusted. If the signing key was compromised, set SIGNALBOX_PUBLIC_KEY to the right key on this machine.`,
    })
  }
}
