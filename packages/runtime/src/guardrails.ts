// createGuardrails: wires config source, spool and sessions. One per prompt and process.
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type {
  BudgetLimits,
  CompiledConfig,
  CompileOptions,
  ConfigDocument,
  SessionStarted,
} from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { digestOf, fromBase64Url, newId } from '@signalbox/wire'
import { type AppliedConfig, compileDocument, type OpenedBundle } from './applied-config.ts'
import type { ApprovalSource } from './approvals.ts'
import {
  type Choice,
  chosenFor,
  environmentOf,
  inForce,
  type Offer,
  onlyOffer,
} from './config-choice.ts'
import { ConfigSource, type Posture, type SourceStatus } from './config-source.ts'
import { controlPlaneApprovals } from './control-plane-approvals.ts'
import { type CustomRules, customTypesOf } from './custom-rules.ts'
import { DataPlane } from './data-plane.ts'
import type { OnDiagnostic } from './diagnostic.ts'
import { DEFAULT_ANSWER_MS, FactFinder, type FactFinderParts } from './fact-finder.ts'
import { type FileLookup, folderLookup, noFiles } from './file-lookup.ts'
import { GuardrailError, messageOf } from './guardrail-error.ts'
import { capabilitiesRecord, type HarnessCapabilities } from './harness-capabilities.ts'
import type { JudgeOptions } from './judge.ts'
import { type ReadBack, type RecordedSession, readBack } from './recorded-session.ts'
import { Recorder } from './recorder.ts'
import { redactor } from './redact.ts'
import { GuardedSession, type Pulse } from './session.ts'
import type { ConfigOrigin, FeedbackChannel } from './session-answers.ts'
import { SessionLog } from './session-log.ts'
import { ShadowFold } from './shadow-fold.ts'
import { Spool } from './spool.ts'
import {
  processTrace,
  sessionTelemetry,
  type Telemetry,
  type TelemetryConfig,
} from './telemetry/telemetry.ts'
import { normalTraceparent } from './telemetry/traceparent.ts'
import { Uploader } from './uploader.ts'
import { SDK_VERSION } from './version.ts'

export interface CommonOptions {
  /** Epoch milliseconds. Absent: the system clock. */
  readonly now?: () => number
  readonly onDiagnostic?: OnDiagnostic
  /** Code for rule types that core does not know. A config with a type that is missing here is refused. */
  readonly custom?: CustomRules
  /** How long a file look-up or custom code may take before the rule counts as unanswered. Absent: 5,000 milliseconds. */
  readonly answerTimeoutMs?: number
  /** The model that `llm_judge` asks. Absent: a judge that requires one is never satisfied. */
  readonly judge?: JudgeOptions
  /** Where `approval` rules ask. Absent: the control plane's queue; without one nobody can be asked, so those calls are denied. */
  readonly approvals?: ApprovalSource
  /** A tracing system that looks on, e.g. `openTelemetry()` of `@signalbox/runtime/opentelemetry`. Absent: none does. */
  readonly telemetry?: Telemetry
}

/** With a control plane: the config comes from it and events go to it. */
export interface OnlineOptions extends CommonOptions {
  /** Address of the control plane, e.g. http://127.0.0.1:3000. */
  readonly url: string
  /** Speaks for one environment of one project. */
  readonly apiKey: string
  /** `ns/key` */
  readonly prompt: string
  /** Shown in the console. Absent: host name and process id. */
  readonly name?: string
  readonly harness?: { readonly name: string; readonly version?: string }
  /**
   * Ed25519 key that signs the configs, base64url; it and the keys that follow it by records are believed. Absent: SIGNALBOX_PUBLIC_KEY
   * of the environment; without it the first key seen is believed and remembered.
   */
  readonly publicKey?: string
  /** Folder for the spool and the last good bundle. Absent: a folder in the user's state directory. */
  readonly dataDir?: string
  /** What holds before the server answers. Absent: last_known_good. Without any config every call is denied. */
  readonly posture?: Posture
  /** The config for posture `bootstrap`. */
  readonly bootstrap?: ConfigDocument
  /** Bytes of events that may wait on disk. Absent: 256 MiB. Beyond them calls are denied. */
  readonly maxSpoolBytes?: number
  readonly fetch?: typeof globalThis.fetch
}

/** Without a control plane: the config is given, and events go to `onEvent` or nowhere. */
export interface OfflineOptions extends CommonOptions {
  readonly config: ConfigDocument
  readonly harness?: { readonly name: string; readonly version?: string }
  /** Gets each event as its JSON text, before the decision is returned; throwing denies the call. */
  readonly onEvent?: (line: string) => void
}

export type GuardrailsOptions = OnlineOptions | OfflineOptions

export interface SessionOptions {
  /** Folder that file rules are about. Absent: existence of files is unknown, so file rules deny. */
  readonly workspaceRoot?: string
  /** Instead of a folder on disk. */
  readonly files?: FileLookup
  /** Epoch milliseconds. */
  readonly deadlineAt?: number
  readonly budget?: BudgetLimits
  readonly tags?: { readonly [name: string]: string }
  /** How feedback reaches the agent; set by adapters. Absent: in_result. */
  readonly channel?: FeedbackChannel
  /** Feedback without markup, for harnesses that escape it; set by adapters. Absent: in tags. */
  readonly plainFeedback?: boolean
  /** The harness of this session, where one process serves several. Absent: that of the guardrails. */
  readonly harness?: { readonly name: string; readonly version?: string }
  /** What the harness lets guardrails do; recorded. Absent: a loop of one's own, which asks before every call and stop. */
  readonly capabilities?: HarnessCapabilities
  /** W3C traceparent under which the session stands; recorded. Absent or not valid: TRACEPARENT of the environment. */
  readonly trace?: string
  /** Told before and after every tool call; a `Heartbeat` keeps the lease of the message that the session works on. */
  readonly heartbeat?: Pulse
  /** Is shown each event of this session after it was written. What it throws is reported and changes nothing. */
  readonly onEvent?: (line: string) => void
  /** Keeps the session, so that it can go on when this process is killed. Absent: it ends with the process. */
  readonly journal?: SessionJournal
  /**
   * Goes on with a session that a killed process recorded, under the config that was in force in it. What else is given here holds from
   * now on; the workspace, if absent, is the recorded one. openSession throws GuardrailError `resume_invalid`, naming the line, when
   * the log is not whole, is another prompt's or has ended. Absent: a new session.
   */
  readonly resume?: RecordedSession
}

/** Where a session is kept. What it throws denies the call, as a full disk does. */
export interface SessionJournal {
  /** Called before the first line of a session: the config that it begins with; null: none was in force. */
  begin(config: ConfigDocument | null): void
  /**
   * Called before the line of `config.applied` with which the session takes a stricter version over while it runs; that line may fail
   * to follow. What it throws leaves the session under its version. Kept in order, as `RecordedSession.taken`.
   */
  take(config: ConfigDocument): void
  /** Called with every event, before it is recorded elsewhere. One that cannot be recorded is followed by another of the same `seq`. */
  append(line: string): void
}

/** The guardrails of one prompt in one process; sessions are opened from it. */
export interface Guardrails {
  /** Resolves once the server answered, or after `timeoutMs` (5,000). What is in force then is in `status()`. */
  ready(timeoutMs?: number): Promise<void>
  /** null when there is no control plane. */
  status(): SourceStatus | null
  /** Keeps the config version that is in force now until it ends, unless the publisher asks running sessions for a stricter one. */
  openSession(options?: SessionOptions): GuardedSession
  /** Sends what is spooled (at most `timeoutMs`, 5,000) and stops. What remains is sent by the next process. */
  close(timeoutMs?: number): Promise<void>
}

const PUBLIC_KEY_BYTES = 32
const MAX_SPOOL_BYTES = 256 * 1024 * 1024
const NO_CONFIG = 'No guardrail config is in force yet, so every tool call is denied.'

/** Throws GuardrailError when the options cannot work; nothing later throws. */
export function createGuardrails(options: GuardrailsOptions): Guardrails {
  return 'config' in options ? offline(options) : online(options)
}

/** Expressions always work; custom types as far as the host brought code for them. */
function compileOptionsOf({ custom = {} }: CommonOptions): CompileOptions {
  return { expressions: celExpressions(), customTypes: customTypesOf(custom) }
}

function compiledOrThrow(document: ConfigDocument, compile: CompileOptions): AppliedConfig {
  const result = compileDocument(document, compile)
  if (!result.ok)
    throw new GuardrailError('config_invalid', `The config cannot be used: ${result.reason}`)
  return { config: result.config, digest: digestOf(document), version: 0 }
}

function offline(options: OfflineOptions): Guardrails {
  const applied = compiledOrThrow(options.config, compileOptionsOf(options))
  const { ns, key } = options.config
  const write = options.onEvent ?? (() => undefined)
  const opener = openerOf({
    ...{ options, ns, key, write, secrets: [] },
    approvals: options.approvals ?? null,
  })
  const origin = { kind: 'applied', digest: applied.digest, revision: null, note: null } as const
  return {
    ready: async () => undefined,
    status: () => null,
    openSession: (session = {}) =>
      opener.open(onlyOffer(applied, origin), session, { environment: 'local', runtime: null }),
    close: async () => undefined,
  }
}

/** null: the first key seen is believed. */
function publicKeyFor(options: OnlineOptions): string | null {
  // biome-ignore lint/style/noProcessEnv: after a theft the key is set on each machine, whatever program runs there.
  const given = options.publicKey ?? process.env['SIGNALBOX_PUBLIC_KEY'] ?? ''
  if (given === '') return null
  if (fromBase64Url(given)?.length === PUBLIC_KEY_BYTES) return given
  throw new GuardrailError(
    'bad_options',
    'The public key (publicKey, or SIGNALBOX_PUBLIC_KEY) is not 32 bytes in base64url. Copy it from Settings, Signing key.',
  )
}

function online(options: OnlineOptions): Guardrails {
  const separator = options.prompt.lastIndexOf('/')
  if (separator <= 0)
    throw new GuardrailError(
      'bad_options',
      'Give the prompt as "ns/key", for example "code-reviewer/main".',
    )
  const [ns, key] = [options.prompt.slice(0, separator), options.prompt.slice(separator + 1)]
  const compile = compileOptionsOf(options)
  const bootstrap =
    options.bootstrap === undefined ? null : compiledOrThrow(options.bootstrap, compile)
  const publicKey = publicKeyFor(options)
  const report = safely(options.onDiagnostic)
  const now = options.now ?? Date.now
  const folder = folderFor(options)
  const plane = new DataPlane({
    url: options.url,
    apiKey: options.apiKey,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  })
  const spool = new Spool({
    folder: path.join(folder, 'spool'),
    maxBytes: options.maxSpoolBytes ?? MAX_SPOOL_BYTES,
  })
  const uploader = new Uploader({ spool, plane, report })
  const write = (line: string) => {
    spool.append(line)
    uploader.notice()
  }
  const opener = openerOf({
    ...{ options, ns, key, write, secrets: [options.apiKey] },
    approvals:
      options.approvals ??
      controlPlaneApprovals({ plane, signingKeys: () => source.signingKeys, now }),
  })
  const source = new ConfigSource({
    plane,
    prompt: options.prompt,
    name: options.name ?? `${os.hostname()}-${process.pid}`,
    harness: options.harness ?? { name: 'library' },
    posture: options.posture ?? 'last_known_good',
    publicKey,
    compile,
    custom: options.custom ?? {},
    memoryFile: path.join(folder, `${options.prompt.replaceAll('/', '~')}.json`),
    report,
    now,
    liveSessions: () => opener.live(),
    spooledEvents: () => spool.heldLines,
    onBundle: (bundle) => opener.askToTighten(bundle),
  })
  const choose = () => inForce(source.status, options.posture === 'bootstrap' ? bootstrap : null)
  return {
    ready: (timeoutMs = 5000) => source.ready(timeoutMs),
    status: () => source.status,
    openSession: (session = {}) => {
      const opened = opener.open(choose(), session, {
        environment: environmentOf(source.status),
        runtime: source.status.runtimeId,
      })
      // One that goes on ran under what was in force then.
      const { applied } = source.status
      if (session.resume !== undefined && applied !== null) opener.askToTighten(applied)
      return opened
    },
    close: async (timeoutMs = 5000) => {
      await uploader.close(timeoutMs)
      await source.close()
      try {
        spool.close()
      } catch (error) {
        report({ level: 'warning', code: 'spool_not_closed', message: messageOf(error) })
      }
    },
  }
}

/** A host that throws while it is told something must not stop what tells it. */
function safely(report: OnDiagnostic | undefined): OnDiagnostic {
  return (diagnostic) => {
    try {
      report?.(diagnostic)
    } catch {
      // There is nobody left to tell.
    }
  }
}

/** One folder per server and key, so that environments do not mix. */
function folderFor(options: OnlineOptions): string {
  const base = options.dataDir ?? path.join(os.homedir(), '.local', 'state', 'signalbox')
  const identity = createHash('sha256')
    .update(`${options.url}\n${options.apiKey}`)
    .digest('hex')
    .slice(0, 16)
  const folder = path.join(base, identity)
  try {
    fs.mkdirSync(path.join(folder, 'spool'), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new GuardrailError(
      'bad_options',
      `The folder ${folder} cannot be written. Mend its permissions or set dataDir.`,
      error,
    )
  }
  return folder
}

interface OpenerParts {
  readonly options: GuardrailsOptions
  /** null: nobody can be asked. */
  readonly approvals: ApprovalSource | null
  readonly ns: string
  readonly key: string
  readonly write: (line: string) => void
  readonly secrets: readonly string[]
}

function openerOf(parts: OpenerParts) {
  const live = new Map<GuardedSession, (bundle: OpenedBundle) => void>()
  const now = parts.options.now ?? Date.now
  const report = safely(parts.options.onDiagnostic)
  return {
    live: () => live.size,
    /** Asks every live session to take the version of the bundle over, where its publisher asks for that. */
    askToTighten(bundle: OpenedBundle): void {
      for (const offer of live.values()) offer(bundle)
    },
    open(
      offer: Offer,
      session: SessionOptions,
      place: { readonly environment: string; readonly runtime: string | null },
    ): GuardedSession {
      const {
        id,
        applied,
        origin,
        shadow: beside,
        config,
        before,
      } = beginning(parts, offer, session)
      const kept = journaled(parts.write, session, { config, before })
      const write = mirrored(kept, session.onEvent, report)
      const telemetry = sessionTelemetry(
        parts.options.telemetry,
        {
          session: id,
          prompt: `${parts.ns}/${parts.key}`,
          at: now(),
          environment: place.environment,
          config: telemetryConfig(applied, origin),
          trace: normalTraceparent(before?.trace ?? session.trace),
          processTrace: processTrace(),
        },
        report,
      )
      const recorder = new Recorder({
        session: id,
        config: applied?.digest ?? null,
        now,
        trace: telemetry.trace,
        write: mirrored(write, telemetry.onEvent ?? undefined, report),
        after: before?.last.event ?? null,
      })
      const redact = redactor(config?.document.redaction ?? [], parts.secrets)
      const { custom = {}, judge = null } = parts.options
      const { approvals } = parts
      const sources = { files: filesOf(session, before), custom, judge }
      const { answerTimeoutMs: answerMs = DEFAULT_ANSWER_MS } = parts.options
      const asking = { ...sources, redact, answerMs }
      const judgeOf = (judged: CompiledConfig) => ({
        config: judged,
        facts: new FactFinder({ ...asking, config: judged, report }),
      })
      const shadow = shadowOf(beside, config, { ...asking, report: ofShadow(report) })
      const guarded = new GuardedSession({
        id,
        refusal: NO_CONFIG,
        log: new SessionLog({
          judge: config === null ? null : judgeOf(config),
          recorder,
          state: before?.state ?? null,
          shadow,
        }),
        shadow,
        redact,
        approvals,
        approvalLimitMs: limitOf(session),
        now,
        report,
        channel: session.channel ?? 'in_result',
        plainFeedback: session.plainFeedback ?? false,
        heartbeat: session.heartbeat ?? null,
        onEnd: () => void live.delete(guarded),
        keep: (document) => session.journal?.take(document),
        before,
      })
      live.set(guarded, ({ applied: offered, revision, tighten }) => {
        if (!tighten || offered === null) return
        const { digest, version } = offered
        // Never rejects.
        void guarded.tighten({ ...judgeOf(offered.config), digest, version, revision })
      })
      if (before !== null) {
        guarded.resume(before)
        return guarded
      }
      const version = applied?.version ?? null
      guarded.start(startedData(parts, session, { ...place, version }), origin)
      return guarded
    },
  }
}

function limitOf({ capabilities }: SessionOptions): number | null {
  const seconds = capabilities?.approvalSeconds ?? null
  return seconds === null ? null : seconds * 1000
}

/** What goes wrong with a version that acts on nothing is no error of the session. */
function ofShadow(report: OnDiagnostic): OnDiagnostic {
  return ({ code, message }) =>
    report({ level: 'warning', code: 'shadow', message: `${code}: ${message}` })
}

function shadowOf(
  shadow: AppliedConfig | null,
  live: CompiledConfig | null,
  asking: Omit<FactFinderParts, 'config'>,
): ShadowFold | null {
  if (shadow === null || live === null) return null
  return new ShadowFold({
    shadow,
    live,
    facts: new FactFinder({ ...asking, config: shadow.config }),
  })
}

function telemetryConfig(
  applied: AppliedConfig | null,
  origin: ConfigOrigin,
): TelemetryConfig | null {
  if (applied === null || origin.kind === 'none') return null
  const { digest, version } = applied
  return { digest, version: version === 0 ? null : version, revision: origin.revision }
}

/** Writes first; whoever only looks on cannot undo it. */
function mirrored(
  write: (line: string) => void,
  show: ((line: string) => void) | undefined,
  report: OnDiagnostic,
): (line: string) => void {
  if (show === undefined) return write
  return (line) => {
    write(line)
    try {
      show(line)
    } catch (error) {
      report({ level: 'error', code: 'event_not_shown', message: messageOf(error) })
    }
  }
}

interface Beginning extends Choice {
  readonly id: string
  /** null: every call is denied. */
  readonly config: CompiledConfig | null
  /** null: the session is new. */
  readonly before: ReadBack | null
}

function beginning(
  { ns, key, options }: OpenerParts,
  offer: Offer,
  { resume }: SessionOptions,
): Beginning {
  if (resume === undefined) {
    const id = newId('sess', { now: (options.now ?? Date.now)(), random: randomBytes(16) })
    const choice = chosenFor(offer, id)
    return { ...choice, id, config: choice.applied?.config ?? null, before: null }
  }
  const before = readBack(resume, { ns, key, compile: compileOptionsOf(options) })
  const { id, applied } = before
  const config = applied?.config ?? null
  return { id, applied, origin: originOf(applied), shadow: null, config, before }
}

/** Of a session that goes on; it recorded at its beginning which revision it took. */
function originOf(applied: AppliedConfig | null): ConfigOrigin {
  if (applied === null) return { kind: 'none', reason: NO_CONFIG }
  return { kind: 'applied', digest: applied.digest, revision: null, note: null }
}

/** The journal is written first: it must know of every line that the server may see. */
function journaled(
  write: (line: string) => void,
  { journal }: SessionOptions,
  { config, before }: { readonly config: CompiledConfig | null; readonly before: ReadBack | null },
): (line: string) => void {
  if (journal === undefined) return write
  let isReady = false
  const prepare = () => {
    // The process may have been killed between the journal and here; the server stores an event once, however often it comes.
    if (before === null) journal.begin(config?.document ?? null)
    else write(before.last.line)
    isReady = true
  }
  return (line) => {
    if (!isReady) prepare()
    journal.append(line)
    write(line)
  }
}

function filesOf(session: SessionOptions, before: ReadBack | null): FileLookup {
  if (session.files !== undefined) return session.files
  const root = session.workspaceRoot ?? before?.started.workspace_root
  return root === undefined ? noFiles : folderLookup(root)
}

function startedData(
  { ns, key, options }: OpenerParts,
  session: SessionOptions,
  place: {
    readonly environment: string
    readonly runtime: string | null
    readonly version: number | null
  },
): SessionStarted {
  const customTypes = customTypesOf(options.custom ?? {})
  return {
    ns,
    key,
    environment: place.environment,
    harness: session.harness ?? options.harness ?? { name: 'library' },
    sdk: SDK_VERSION,
    ...(place.runtime === null ? {} : { runtime: place.runtime }),
    ...(place.version === null || place.version === 0 ? {} : { config_version: place.version }),
    ...(session.workspaceRoot === undefined ? {} : { workspace_root: session.workspaceRoot }),
    ...(session.deadlineAt === undefined ? {} : { deadline_at: Math.trunc(session.deadlineAt) }),
    ...(session.budget === undefined ? {} : { budget: session.budget }),
    ...(session.tags === undefined ? {} : { tags: session.tags }),
    ...(session.capabilities === undefined
      ? {}
      : { capabilities: capabilitiesRecord(session.capabilities) }),
    ...(customTypes.length === 0 ? {} : { custom_types: customTypes }),
  }
}
