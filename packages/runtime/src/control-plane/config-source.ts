import path from 'node:path'
import type { PushedBundle, RegisterResponse, SignedSessionOrder } from '@signalbox/wire'
import { retryMs } from '../base/backoff.ts'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import { awaitedSleep, sleep } from '../base/sleep.ts'
import { SDK_VERSION } from '../base/version.ts'
import type { CustomRules } from '../facts/custom-rules.ts'
import {
  type AppliedConfig,
  type OpenedBundle,
  type OpenResult,
  openBundle,
  type PartReport,
  type Place,
  type SignedBundle,
} from './applied-config.ts'
import { describeCapabilities } from './capabilities.ts'
import { ConfigMemory } from './config-memory.ts'
import { type DataFolder, isSamePlace } from './data-folder.ts'
import type { DataPlane, Failure } from './data-plane.ts'
import { followNotifications } from './follow-notifications.ts'
import { learned } from './key-chain.ts'
import { KeyKeeper } from './key-keeper.ts'
import type { LazyExpressions } from './lazy-expressions.ts'
import { ownerState, ownIdentity } from './process-identity.ts'

export type StartupPolicy = 'deny' | 'last_known_good' | 'bootstrap'

export interface ConfigSourceOptions {
  readonly plane: DataPlane
  readonly prompt: string
  readonly name: string
  readonly harness: { readonly name: string; readonly version?: string }
  readonly startupPolicy: StartupPolicy
  /** Ed25519 key given by the host; it and its successors are trusted. null: the first key seen is trusted and stored. */
  readonly publicKey: string | null
  readonly compile: LazyExpressions
  readonly custom: CustomRules
  readonly folder: DataFolder
  readonly report: OnDiagnostic
  readonly now: () => number
  readonly liveSessions: () => number
  /** Running sessions whose first event names another runtime, or none. */
  readonly movedSessions: (runtimeId: string) => readonly string[]
  readonly spooledEvents: () => number
  readonly onBundle: (bundle: OpenedBundle) => void
  /** Not verified. Must not throw. */
  readonly onOrders: (orders: readonly SignedSessionOrder[]) => void
  readonly onPlace: () => void
}

/** Longest wait of `close` for the last heartbeat. */
const FAREWELL_MS = 2000
const MAX_REASON = 2000
export interface SourceStatus {
  readonly state: 'starting' | 'applied' | 'unreachable'
  readonly runtimeId: string | null
  readonly environment: string | null
  readonly applied: (OpenedBundle & { readonly source: 'server' | 'disk' }) | null
  readonly rejected: { readonly revision: number; readonly reason: string } | null
  /** Why the server cannot be reached; null: it answers. */
  readonly trouble: string | null
  /** Epoch milliseconds of the server's last answer before `trouble`; null: it has not answered this process. */
  readonly answeredAt: number | null
}

/**
 * States: starting → applied (a bundle from the server or from disk is in force) ⇄ unreachable (the bundle in force stays). A bundle that
 * does not verify, is older, or cannot be enforced by this build is rejected: the previous one stays, and the next heartbeat reports it.
 */
export class ConfigSource {
  readonly #options: ConfigSourceOptions
  readonly #stopped = new AbortController()
  readonly #memory: ConfigMemory
  readonly #keys: KeyKeeper
  #status: SourceStatus = {
    state: 'starting',
    runtimeId: null,
    environment: null,
    applied: null,
    rejected: null,
    trouble: null,
    answeredAt: null,
  }
  #pollSeconds = 15
  #heartbeatSeconds = 30
  /** A notification arrived after the last poll began. */
  #due = false
  #reportDue = false
  /** The server gives orders about sessions, and knows the field that says that this runtime takes them. */
  #givesOrders = false
  /** Last failure of the heartbeats that failed in a row: one is repeated soon, because it may report a release. null: the last was answered. */
  #missed: { readonly failure: Failure; readonly times: number } | null = null
  /** Ends the pause before the next heartbeat. */
  #beatPause = new AbortController()
  /** Pushed bundle, which the next poll need not request; null: none. */
  #pushed: PushedBundle | null = null
  #wakePoll: (() => void) | null = null
  /** Signature of the bundle that was last presented to the server. */
  #presented = ''
  #registering = false
  #firstAnswer: (() => void) | null = null
  readonly #answered: Promise<void>
  /** Resolves when the stored bundle is compiled, if its rules need code that loads lazily; null: nothing is loading. */
  #remembering: Promise<void> | null = null

  constructor(options: ConfigSourceOptions) {
    this.#options = options
    const { plane, report, publicKey: root } = options
    this.#memory = new ConfigMemory(this.#memoryIn(options.folder.home), { root, report })
    this.#keys = new KeyKeeper({ plane, memory: this.#memory, report })
    this.#answered = new Promise((resolve) => {
      this.#firstAnswer = resolve
    })
    this.#applyRemembered()
    this.#run().catch((error: unknown) => this.#reportDefect(error))
  }

  get status(): SourceStatus {
    return this.#status
  }

  /** Trusted public keys, base64url; empty: none is known yet. */
  get signingKeys(): readonly string[] {
    return this.#keys.believed
  }

  get current(): AppliedConfig | null {
    return this.#status.applied?.applied ?? null
  }

  /** Resolves after the first answer or failed request, at the latest after `ms`, and once a stored bundle is compiled. */
  async ready(ms: number): Promise<void> {
    const done = new AbortController()
    const late = awaitedSleep(ms, AbortSignal.any([this.#stopped.signal, done.signal]))
    await Promise.race([this.#answered, late])
    done.abort()
    await this.#remembering
  }

  async close(): Promise<void> {
    this.#stopped.abort()
    this.#pollSoon()
    const done = new AbortController()
    await Promise.race([this.#heartbeat(true), awaitedSleep(FAREWELL_MS, done.signal)])
    done.abort()
  }

  /** Reports a defect that ends updates. The config in force does not change. */
  #reportDefect(error: unknown): void {
    this.#options.report({
      level: 'error',
      code: 'config_source_broke',
      message: describeError(error),
    })
  }

  #applyRemembered(): void {
    const { bundle } = this.#memory.held
    if (bundle === null || this.#options.startupPolicy !== 'last_known_good') return
    if (this.#options.compile.mustLoadFor(bundle.text)) {
      this.#remembering ??= this.#applyRememberedLate(bundle.text)
      return
    }
    const opened = this.#opened(bundle, [this.#keys.current])
    if (opened.ok) this.#set({ state: 'applied', applied: { ...opened.bundle, source: 'disk' } })
    else this.#options.report({ level: 'warning', code: 'memory_refused', message: opened.reason })
  }

  /** Never rejects. */
  async #applyRememberedLate(text: string): Promise<void> {
    await this.#compilerFor(text)
    this.#remembering = null
    if (this.#status.applied === null) this.#applyRemembered()
  }

  /** Loads the evaluator if rules of the text need it. Never rejects: without the evaluator, such rules do not compile. */
  async #compilerFor(text: string): Promise<void> {
    const { compile, report } = this.#options
    if (!compile.mustLoadFor(text)) return
    await compile.load().catch((error: unknown) => {
      report({ level: 'error', code: 'expressions_not_loaded', message: describeError(error) })
    })
  }

  #set(change: Partial<SourceStatus>): void {
    this.#status = { ...this.#status, ...change }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    await this.#registerOrContinue()
    followNotifications({
      plane: this.#options.plane,
      signal,
      onRevision: (revision, bundle) => {
        if (revision === this.#status.applied?.revision) return
        this.#pushed = bundle
        this.#pollSoon()
      },
      onRefresh: (runtimeId) => {
        if (runtimeId !== this.#status.runtimeId) return
        this.#reportDue = true
        this.#pollSoon()
      },
    }).catch((error: unknown) => this.#reportDefect(error))
    this.#beat().catch((error: unknown) => this.#reportDefect(error))
    for (let failures = 0; !signal.aborted; ) {
      this.#due = false
      const failure = await this.#poll()
      failures = failure === null ? 0 : failures + 1
      const jitter = 0.8 + 0.4 * Math.random()
      await this.#untilPoll(
        failure === null
          ? this.#pollSeconds * 1000 * jitter
          : retryMs(failure, failures, Math.random()),
      )
    }
  }

  async #untilPoll(ms: number): Promise<void> {
    // A notification during the last poll may announce a newer bundle than the poll fetched.
    if (this.#due) return
    const woken = new Promise<void>((resolve) => {
      this.#wakePoll = resolve
    })
    const over = new AbortController()
    await Promise.race([woken, sleep(ms, over.signal)])
    over.abort()
  }

  #pollSoon(): void {
    this.#due = true
    this.#wakePoll?.()
  }

  /** With a known key it does not wait for success, because the runtime can verify bundles that a relay serves. */
  async #registerOrContinue(): Promise<void> {
    const first = await this.#register()
    if (first.ok) return
    if (first.kind === 'retry') this.#assumePlace()
    const later = this.#registerUntilTaken(first)
    if (this.#keys.current === '') {
      this.#unanswered(first)
      await later
    } else later.catch((error: unknown) => this.#reportDefect(error))
  }

  async #registerUntilTaken(failure: Failure | null): Promise<void> {
    if (this.#registering) return
    this.#registering = true
    const { signal } = this.#stopped
    for (let attempt = 1, last = failure; !signal.aborted; attempt++) {
      if (last !== null) {
        await sleep(retryMs(last, attempt, Math.random()), signal)
        if (signal.aborted) break
      }
      const answer = await this.#register()
      if (answer.ok) {
        // An earlier poll may have been judged against an assumed place that registration has just replaced.
        this.#pollSoon()
        break
      }
      // With a known key, polls report whether the server is reachable.
      if (this.#keys.current === '') this.#unanswered(answer)
      last = answer
    }
    this.#registering = false
  }

  async #register(): Promise<{ readonly ok: true } | Failure> {
    const { plane, name, harness, prompt, startupPolicy, now, custom } = this.#options
    const known = this.#freeRuntimeId()
    const answer = await plane.register({
      ...(known === null ? {} : { runtime_id: known }),
      name,
      sdk_version: SDK_VERSION,
      harness,
      prompts: [prompt],
      capabilities: describeCapabilities(custom),
      posture: startupPolicy,
      now: now(),
    })
    if (answer.ok) {
      await this.#settleRegistered(answer.value)
      this.#registered(answer.value)
    }
    return answer
  }

  #memoryIn(folder: string): string {
    return path.join(folder, this.#memoryName)
  }

  get #memoryName(): string {
    return `${this.#options.prompt.replaceAll('/', '~')}.json`
  }

  /** Only if all stored data belongs to one place, as after a rotation of the API key. The server's first answer ends the assumption. */
  #assumePlace(): void {
    const { folder, report, startupPolicy } = this.#options
    const home =
      folder.place === null && startupPolicy === 'last_known_good' ? folder.onlyHome() : null
    if (home === null || this.#memory.held.bundle !== null) return
    this.#memory.assume(this.#memoryIn(home))
    const { place } = this.#memory.held
    if (place === null) return
    report({
      level: 'warning',
      code: 'place_assumed',
      message: `This API key was not used here before, and the control plane does not answer. Until it does, the last good config of ${place.project}/${place.environment} is in force, because no other environment is stored here.`,
    })
    this.#applyRemembered()
  }

  /** Fetches key records if only they can prove that another folder belongs to this server. */
  async #settleRegistered({ keys: digest, public_key, ...place }: RegisterResponse): Promise<void> {
    const { folder, plane } = this.#options
    const isAsked =
      digest !== undefined && folder.foreign().some((one) => isSamePlace(one.place, place))
    const fetched = folder.place === null && isAsked ? await plane.fetchKeys() : null
    const records = fetched?.ok === true ? fetched.value.records : []
    this.#settle(place, (keys) =>
      keys.some((key) => {
        const { trust } = learned({ key, next: [], past: [] }, records, place.project)
        return key === public_key || trust.next.includes(public_key)
      }),
    )
  }

  #settle(place: Place, isServerWith: (keys: readonly string[]) => boolean): void {
    const { folder, report, onPlace } = this.#options
    const wasSettled = folder.place !== null
    const assumed = this.#memory.isAssumed ? this.#memory.held.place : null
    try {
      folder.settle({ ...place, isServerWith })
    } catch (error) {
      report({ level: 'error', code: 'place_not_written', message: describeError(error) })
    }
    if (!wasSettled && folder.place !== null) {
      this.#memory.moveTo(this.#memoryIn(folder.home), folder.relatives(this.#memoryName))
      if (assumed !== null && !isSamePlace(assumed, place)) this.#set({ applied: null })
      if (this.#status.applied === null) this.#applyRemembered()
    }
    onPlace()
  }

  /** Id that an earlier process in this folder used, so that a restart is the same runtime; null: none, or that process still runs. */
  #freeRuntimeId(): string | null {
    const { runtime_id, owner } = this.#memory.held
    const taken = owner !== null && owner !== ownIdentity() && ownerState(owner) === 'running'
    return taken ? null : runtime_id
  }

  #registered(answer: RegisterResponse): void {
    this.#pollSeconds = answer.poll_seconds
    this.#givesOrders = answer.orders === true
    this.#heartbeatSeconds = answer.heartbeat_seconds
    this.#noteAnswer({ runtimeId: answer.runtime_id, environment: answer.environment })
    this.#memory.remember({
      runtime_id: answer.runtime_id,
      owner: ownIdentity(),
      public_key: this.#keys.current || answer.public_key,
    })
    this.#keys.announce(answer.keys)
  }

  /** Reports the end of an outage. */
  #noteAnswer(change: Partial<SourceStatus>): void {
    const { now, report } = this.#options
    const wasAway = this.#status.trouble !== null
    this.#set({ ...change, trouble: null, answeredAt: now() })
    if (!wasAway) return
    const message = 'The control plane answers. Events that waited are sent.'
    report({ level: 'info', code: 'control_plane_reached', message })
  }

  /** Reports each cause once, not once per attempt. */
  #unanswered({ kind, detail }: Failure): void {
    const known = this.#status.trouble === detail
    this.#set({ state: 'unreachable', trouble: detail })
    this.#firstAnswer?.()
    if (known) return
    const refused = `The control plane refuses the API key: ${detail} Rules stay as they are; events wait.`
    this.#options.report({
      level: 'warning',
      ...(kind === 'denied'
        ? { code: 'control_plane_refused', message: refused }
        : { code: 'control_plane_unreachable', message: detail }),
    })
  }

  /** null: the bundle is current. */
  async #poll(): Promise<Failure | null> {
    const { applied, rejected } = this.#status
    const failure = (await this.#takePushed()) ? null : await this.#fetch()
    if (failure !== null) return failure
    this.#firstAnswer?.()
    const hasLearned = await this.#keys.catchUp()
    const isNews =
      hasLearned ||
      this.#status.applied?.digest !== applied?.digest ||
      this.#status.rejected !== rejected
    if (isNews || this.#reportDue) await this.#heartbeat(false)
    this.#reportDue = false
    return null
  }

  /** False: there is no pushed bundle, or it is not newer or not usable; the poll then fetches the bundle and reports any problem. */
  async #takePushed(): Promise<boolean> {
    const pushed = this.#pushed
    this.#pushed = null
    if (pushed === null || pushed.revision <= (this.#status.applied?.revision ?? -1)) return false
    const { text, signature } = pushed
    await this.#compilerFor(text)
    const opened = this.#opened({ text, signature }, this.#keys.believed)
    if (!opened.ok) return false
    this.#noteAnswer({ state: 'applied' })
    this.#apply(opened.bundle, { text, signature })
    return true
  }

  /** null: the server answered. */
  async #fetch(): Promise<Failure | null> {
    const { applied } = this.#status
    const answer = await this.#options.plane.fetchBundle(applied?.digest ?? null)
    if (!answer.ok) {
      this.#unanswered(answer)
      return answer
    }
    this.#noteAnswer({ state: 'applied' })
    // Unchanged: the bundle in force is current, and the server no longer serves the rejected one.
    if (answer.value !== null) await this.#open(answer.value)
    else if (applied !== null)
      this.#set({ applied: { ...applied, source: 'server' }, rejected: null })
    return null
  }

  #opened(signed: SignedBundle, publicKeys: readonly string[]): OpenResult {
    const { place, highest_revision: lowest } = this.#memory.held
    const { prompt, compile } = this.#options
    return openBundle(signed, { publicKeys, place, lowest, prompt, compile })
  }

  async #open(signed: SignedBundle): Promise<void> {
    await this.#compilerFor(signed.text)
    let opened = this.#opened(signed, this.#keys.believed)
    if (!opened.ok && opened.isUnknownKey) {
      const isWorthIt = await this.#keys.seek(signed.signature, opened.project)
      if (isWorthIt) opened = this.#opened(signed, this.#keys.believed)
    }
    if (opened.ok) {
      this.#apply(opened.bundle, signed)
      return
    }
    if (opened.isSuperseded) await this.#presentHeld()
    const { revision, reason } = { revision: opened.revision ?? 0, reason: opened.reason }
    const before = this.#status.rejected
    if (before?.revision === revision && before.reason === reason) return
    this.#set({ rejected: { revision, reason } })
    const { folder, report } = this.#options
    const advice = opened.isUnknownKey
      ? ` If you set this server up again, stop this process, delete ${folder.home}, and start it again. If not, find out who answers at this address.`
      : ''
    report({ level: 'error', code: 'bundle_rejected', message: `${reason}${advice}` })
  }

  /** Lets a server that was restored from a backup publish above the newer bundle. One without this feature answers 404; its bundle stays refused. */
  async #presentHeld(): Promise<void> {
    const { bundle } = this.#memory.held
    if (bundle === null || this.#presented === bundle.signature) return
    const answer = await this.#options.plane.presentBundle(bundle)
    // Without an answer, the next poll presents it again.
    if (answer.ok || answer.kind !== 'retry') this.#presented = bundle.signature
    if (answer.ok) this.#pollSoon()
  }

  #apply(bundle: OpenedBundle, signed: SignedBundle): void {
    const { revision, key, project, environment } = bundle
    if (this.#options.folder.place === null)
      this.#settle({ project, environment }, (keys) => keys.includes(key))
    this.#set({ applied: { ...bundle, source: 'server' }, rejected: null })
    this.#memory.remember({
      ...this.#keys.advance(key),
      bundle: signed,
      highest_revision: revision,
      place: { project, environment },
    })
    this.#reportParts(bundle.parts)
    this.#options.onBundle(bundle)
  }

  #reportParts(parts: readonly PartReport[]): void {
    for (const { part, version, reason } of parts) {
      if (reason === undefined) continue
      const message = `The ${part} v${version} was rejected; the previous version stays in force. ${reason}`
      this.#options.report({ level: 'error', code: 'part_rejected', message })
    }
  }

  async #beat(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const missed = this.#missed
      // Jitter, so that runtimes that started together do not send heartbeats together.
      const intervalMs = this.#heartbeatSeconds * 1000 * (0.9 + 0.2 * Math.random())
      const retry =
        missed === null ? intervalMs : retryMs(missed.failure, missed.times, Math.random())
      this.#beatPause = new AbortController()
      await sleep(Math.min(intervalMs, retry), AbortSignal.any([signal, this.#beatPause.signal]))
      // Another pause applies if a heartbeat failed or was answered meanwhile.
      if (!signal.aborted && this.#missed === missed) await this.#heartbeat(false)
    }
  }

  async #heartbeat(stopping: boolean): Promise<void> {
    const { plane, now, liveSessions, movedSessions, spooledEvents } = this.#options
    const { runtimeId, applied, rejected } = this.#status
    if (runtimeId === null) return
    const moved = this.#givesOrders ? movedSessions(runtimeId) : []
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
      ...(applied === null || applied.parts.length === 0 ? {} : { parts: [...applied.parts] }),
      ...this.#keys.toHeartbeatField(),
      ...(this.#givesOrders ? { orders: true } : {}),
      ...(moved.length > 0 ? { moved_sessions: [...moved] } : {}),
      ...(stopping ? { stopping } : {}),
    })
    if (stopping) return
    if (!answer.ok) {
      this.#missHeartbeat(answer)
      return
    }
    this.#noteHeartbeat()
    const { keys, orders } = answer.value
    this.#takeOrders(orders)
    this.#keys.announce(keys)
    if (this.#keys.isBehind) this.#pollSoon()
    if (answer.value.desired_revision > Math.max(applied?.revision ?? -1, rejected?.revision ?? -1))
      this.#pollSoon()
  }

  /** undefined: the server gives none, or a relay answered in its place. */
  #takeOrders(orders: readonly SignedSessionOrder[] | undefined): void {
    if (orders === undefined) return
    this.#givesOrders = true
    if (orders.length > 0) this.#options.onOrders(orders)
  }

  #noteHeartbeat(): void {
    this.#missed = null
    if (this.#status.trouble === null) this.#set({ answeredAt: this.#options.now() })
  }

  #missHeartbeat(failure: Failure): void {
    const { status } = failure
    this.#missed = { failure, times: (this.#missed?.times ?? 0) + 1 }
    this.#beatPause.abort()
    // A server that was rolled back to a version without orders refuses the field.
    if (status === 422) this.#givesOrders = false
    if (status === 404) this.#registerAgain()
    // A poll determines whether the server is reachable, and the next one may be a minute away.
    if (status === undefined && this.#status.trouble === null) this.#pollSoon()
  }

  #registerAgain(): void {
    this.#registerUntilTaken(null).catch((error: unknown) => this.#reportDefect(error))
  }
}
