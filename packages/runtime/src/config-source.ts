// Keeps the config of one prompt current: registers, polls, listens for hints, verifies, remembers, reports what it applied.
import type { CompileOptions } from '@signalbox/core'
import type { RegisterResponse } from '@signalbox/wire'
import { createParser } from 'eventsource-parser'
import {
  type AppliedConfig,
  type OpenedBundle,
  openBundle,
  type SignedBundle,
} from './applied-config.ts'
import { backoffMs } from './backoff.ts'
import { capabilitiesOf } from './capabilities.ts'
import { type Remembered, readMemory, writeMemory } from './config-memory.ts'
import type { CustomRules } from './custom-rules.ts'
import type { DataPlane } from './data-plane.ts'
import type { OnDiagnostic } from './diagnostic.ts'
import { messageOf } from './guardrail-error.ts'
import { ownerState, ownIdentity } from './process-identity.ts'
import { awaitedSleep, sleep } from './sleep.ts'
import { SDK_VERSION } from './version.ts'

export type Posture = 'deny' | 'last_known_good' | 'bootstrap'

export interface ConfigSourceOptions {
  readonly plane: DataPlane
  readonly prompt: string
  readonly name: string
  readonly harness: { readonly name: string; readonly version?: string }
  readonly posture: Posture
  /** Pinned Ed25519 key. null: the first key seen is trusted and remembered. */
  readonly publicKey: string | null
  readonly compile: CompileOptions
  readonly custom: CustomRules
  readonly memoryFile: string
  readonly report: OnDiagnostic
  readonly now: () => number
  readonly liveSessions: () => number
  readonly spooledEvents: () => number
}

/** A closing agent does not wait longer than this for its last heartbeat. */
const FAREWELL_MS = 2000
const MAX_REASON = 2000
/** A stream that lived shorter counts as a failed attempt, so that a server that hangs up at once is not flooded. */
const STEADY_STREAM_MS = 5000

const NOTHING_REMEMBERED: Remembered = {
  public_key: '',
  highest_revision: 0,
  bundle: null,
  runtime_id: null,
  owner: null,
}

export interface SourceStatus {
  readonly state: 'starting' | 'applied' | 'unreachable'
  readonly runtimeId: string | null
  readonly environment: string | null
  readonly applied: (OpenedBundle & { readonly source: 'server' | 'disk' }) | null
  readonly rejected: { readonly revision: number; readonly reason: string } | null
  /** Why the server is not reached; null while it answers. */
  readonly trouble: string | null
}

/**
 * States: starting → applied (a bundle from the server or from disk is in force) ⇄ unreachable (the server does not answer;
 * what is in force stays). A bundle that does not verify, is older, or holds a version that this build cannot enforce is
 * rejected: the one before stays, and the next heartbeat says so. Hints only shorten the wait for the next poll.
 */
export class ConfigSource {
  readonly #options: ConfigSourceOptions
  readonly #stopped = new AbortController()
  #memory: Remembered | null
  #status: SourceStatus = {
    state: 'starting',
    runtimeId: null,
    environment: null,
    applied: null,
    rejected: null,
    trouble: null,
  }
  #pollSeconds = 15
  #heartbeatSeconds = 10
  #wakePoll: (() => void) | null = null
  #firstAnswer: (() => void) | null = null
  readonly #answered: Promise<void>

  constructor(options: ConfigSourceOptions) {
    this.#options = options
    this.#memory = readMemory(options.memoryFile)
    this.#answered = new Promise((resolve) => {
      this.#firstAnswer = resolve
    })
    if (options.posture === 'last_known_good') this.#applyRemembered()
    this.#run().catch((error: unknown) => this.#broke(error))
  }

  get status(): SourceStatus {
    return this.#status
  }

  get current(): AppliedConfig | null {
    return this.#status.applied?.applied ?? null
  }

  /** Resolves after the first answer of the server, or after `ms`. */
  async ready(ms: number): Promise<void> {
    const done = new AbortController()
    const late = awaitedSleep(ms, AbortSignal.any([this.#stopped.signal, done.signal]))
    await Promise.race([this.#answered, late])
    done.abort()
  }

  /** Sends a last heartbeat and stops. */
  async close(): Promise<void> {
    this.#stopped.abort()
    this.#wakePoll?.()
    const done = new AbortController()
    await Promise.race([this.#heartbeat(true), awaitedSleep(FAREWELL_MS, done.signal)])
    done.abort()
  }

  /** A defect here stops the updates; what is in force stays in force. */
  #broke(error: unknown): void {
    this.#options.report({ level: 'error', code: 'config_source_broke', message: messageOf(error) })
  }

  #applyRemembered(): void {
    const memory = this.#memory
    if (memory?.bundle == null) return
    const opened = openBundle(memory.bundle, {
      publicKey: this.#options.publicKey ?? memory.public_key,
      lowest: memory.highest_revision,
      prompt: this.#options.prompt,
      compile: this.#options.compile,
    })
    if (opened.ok) this.#set({ state: 'applied', applied: { ...opened.bundle, source: 'disk' } })
    else this.#options.report({ level: 'warning', code: 'memory_refused', message: opened.reason })
  }

  #set(change: Partial<SourceStatus>): void {
    this.#status = { ...this.#status, ...change }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    await this.#register()
    this.#listen().catch((error: unknown) => this.#broke(error))
    this.#beat().catch((error: unknown) => this.#broke(error))
    for (let failures = 0; !signal.aborted; ) {
      const ok = await this.#poll()
      failures = ok ? 0 : failures + 1
      const jitter = 0.8 + 0.4 * Math.random()
      await this.#untilPoll(
        ok ? this.#pollSeconds * 1000 * jitter : backoffMs(failures, Math.random()),
      )
    }
  }

  #untilPoll(ms: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wakePoll = resolve
    })
    return Promise.race([woken, sleep(ms, this.#stopped.signal)])
  }

  async #register(): Promise<void> {
    const { plane, name, harness, prompt, posture, now, custom } = this.#options
    for (let attempt = 1; !this.#stopped.signal.aborted; attempt++) {
      const known = this.#freeRuntimeId()
      const answer = await plane.register({
        ...(known === null ? {} : { runtime_id: known }),
        name,
        sdk_version: SDK_VERSION,
        harness,
        prompts: [prompt],
        capabilities: capabilitiesOf(custom),
        posture,
        now: now(),
      })
      if (answer.ok) {
        this.#registered(answer.value)
        return
      }
      this.#unreachable(answer.detail)
      await sleep(answer.retryAfterMs ?? backoffMs(attempt, Math.random()), this.#stopped.signal)
    }
  }

  /** The id of an earlier process here, so that a restart is the same runtime; null while that process runs. */
  #freeRuntimeId(): string | null {
    const { runtime_id, owner } = this.#memory ?? { runtime_id: null, owner: null }
    const taken = owner !== null && owner !== ownIdentity() && ownerState(owner) === 'running'
    return taken ? null : runtime_id
  }

  #registered(answer: RegisterResponse): void {
    this.#pollSeconds = answer.poll_seconds
    this.#heartbeatSeconds = answer.heartbeat_seconds
    this.#set({ runtimeId: answer.runtime_id, environment: answer.environment, trouble: null })
    this.#remember({
      runtime_id: answer.runtime_id,
      owner: ownIdentity(),
      public_key: this.#memory?.public_key || answer.public_key,
    })
  }

  /** Said once per cause, not once per attempt. */
  #unreachable(detail: string): void {
    const known = this.#status.trouble === detail
    this.#set({ state: 'unreachable', trouble: detail })
    this.#firstAnswer?.()
    if (!known)
      this.#options.report({ level: 'warning', code: 'control_plane_unreachable', message: detail })
  }

  #remember(change: Partial<Remembered>): void {
    const before = this.#memory ?? NOTHING_REMEMBERED
    this.#memory = { ...before, ...change }
    try {
      // Another process of this installation may have applied a newer one meanwhile: keep its knowledge.
      const disk = readMemory(this.#options.memoryFile)
      if (disk !== null && disk.highest_revision > this.#memory.highest_revision) {
        const { bundle, highest_revision } = disk
        this.#memory = { ...this.#memory, bundle, highest_revision }
      }
      writeMemory(this.#options.memoryFile, this.#memory)
    } catch (error) {
      this.#options.report({
        level: 'error',
        code: 'memory_not_written',
        message: messageOf(error),
      })
    }
  }

  async #poll(): Promise<boolean> {
    const { applied, rejected } = this.#status
    const answer = await this.#options.plane.fetchBundle(applied?.digest ?? null)
    if (!answer.ok) {
      this.#unreachable(answer.detail)
      return false
    }
    this.#set({ state: 'applied', trouble: null })
    // Not changed: what came from disk is current, and what was rejected is no longer served.
    if (answer.value !== null) this.#open(answer.value)
    else if (applied !== null)
      this.#set({ applied: { ...applied, source: 'server' }, rejected: null })
    this.#firstAnswer?.()
    if (this.#status.applied?.digest !== applied?.digest || this.#status.rejected !== rejected)
      await this.#heartbeat(false)
    return true
  }

  #open(signed: SignedBundle): void {
    const publicKey = this.#options.publicKey ?? this.#memory?.public_key ?? ''
    const lowest = this.#memory?.highest_revision ?? 0
    const { prompt, compile } = this.#options
    const opened = openBundle(signed, { publicKey, lowest, prompt, compile })
    if (opened.ok) {
      this.#set({ applied: { ...opened.bundle, source: 'server' }, rejected: null })
      this.#remember({ bundle: signed, highest_revision: opened.bundle.revision })
      return
    }
    const { revision, reason } = { revision: opened.revision ?? 0, reason: opened.reason }
    const before = this.#status.rejected
    if (before?.revision === revision && before.reason === reason) return
    this.#set({ rejected: { revision, reason } })
    this.#options.report({ level: 'error', code: 'bundle_rejected', message: reason })
  }

  async #beat(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      await sleep(this.#heartbeatSeconds * 1000, signal)
      if (!signal.aborted) await this.#heartbeat(false)
    }
  }

  async #heartbeat(stopping: boolean): Promise<void> {
    const { plane, now, liveSessions, spooledEvents } = this.#options
    const { runtimeId, applied, rejected } = this.#status
    if (runtimeId === null) return
    const answer = await plane.heartbeat({
      runtime_id: runtimeId,
      now: now(),
      applied:
        applied === null
          ? null
          : { revision: applied.revision, digest: applied.digest, source: applied.source },
      rejected: rejected && { ...rejected, reason: rejected.reason.slice(0, MAX_REASON) },
      live_sessions: liveSessions(),
      spooled_events: spooledEvents(),
      ...(stopping ? { stopping } : {}),
    })
    if (
      answer.ok &&
      !stopping &&
      answer.value.desired_revision > Math.max(applied?.revision ?? -1, rejected?.revision ?? -1)
    )
      this.#wakePoll?.()
  }

  /** Hints: a lost one costs at most one poll interval. */
  async #listen(): Promise<void> {
    const { signal } = this.#stopped
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const opened = performance.now()
        const body = await this.#options.plane.openStream(signal)
        if (body !== null) await this.#readHints(body)
        if (performance.now() - opened > STEADY_STREAM_MS) attempt = 1
      } catch {
        // The stream broke; polling goes on meanwhile, and the loop connects again.
      }
      await sleep(backoffMs(attempt, Math.random()), signal)
    }
  }

  async #readHints(body: AsyncIterable<Uint8Array>): Promise<void> {
    const parser = createParser({
      onEvent: ({ event, id }) => {
        if (event === 'revision' && Number(id) !== this.#status.applied?.revision)
          this.#wakePoll?.()
      },
    })
    const decoder = new TextDecoder()
    for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }))
  }
}
