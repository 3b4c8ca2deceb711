import os from 'node:os'
import path from 'node:path'
import type { CompileOptions, ConfigDocument } from '@signalbox/core'
import { computeDigest, fromBase64Url } from '@signalbox/wire'
import { type OnDiagnostic, safely } from '../base/diagnostic.ts'
import { describeError, GuardrailError } from '../base/guardrail-error.ts'
import { type AppliedConfig, compileDocument } from '../control-plane/applied-config.ts'
import { ConfigSource, type SourceStatus } from '../control-plane/config-source.ts'
import { controlPlaneApprovals } from '../control-plane/control-plane-approvals.ts'
import { DataFolder } from '../control-plane/data-folder.ts'
import { DataPlane } from '../control-plane/data-plane.ts'
import { LazyExpressions } from '../control-plane/lazy-expressions.ts'
import { SessionOrders } from '../control-plane/session-orders.ts'
import { listLeftSegments, Spool } from '../control-plane/spool.ts'
import { Uploader } from '../control-plane/uploader.ts'
import { readCustomTypes } from '../facts/custom-rules.ts'
import { inForce, onlyOffer, resolveEnvironment } from './config-choice.ts'
import type { GuardrailsOptions, OfflineOptions, OnlineOptions } from './guardrails-options.ts'
import type { GuardedSession } from './session.ts'
import { SessionOpener } from './session-opener.ts'
import type { SessionOptions } from './session-options.ts'

export interface Guardrails {
  /** Resolves after the server's first answer or a failed request, at the latest after `timeoutMs` (default 5,000). */
  ready(timeoutMs?: number): Promise<void>
  /** null: there is no control plane. */
  status(): SourceStatus | null
  /** The session keeps the config version now in force, unless a release tightens it. Throws GuardrailError `resume_invalid` if `resume` cannot be used. */
  openSession(options?: SessionOptions): GuardedSession
  /** Sends spooled events for at most `timeoutMs` (default 5,000) and stops. The next process sends the rest. */
  close(timeoutMs?: number): Promise<void>
}

const PUBLIC_KEY_BYTES = 32
const MAX_SPOOL_BYTES = 256 * 1024 * 1024

/** Throws GuardrailError if the options are not usable. */
export function createGuardrails(options: GuardrailsOptions): Guardrails {
  return 'config' in options ? offline(options) : online(options)
}

function toCompileOptions({ custom = {}, expressions }: GuardrailsOptions): LazyExpressions {
  return new LazyExpressions(readCustomTypes(custom), expressions)
}

function compiledOrThrow(document: ConfigDocument, compile: CompileOptions): AppliedConfig {
  const result = compileDocument(document, compile)
  if (!result.ok)
    throw new GuardrailError('config_invalid', `The config cannot be used: ${result.reason}`)
  return { config: result.config, digest: computeDigest(result.value), version: 0 }
}

function offline(options: OfflineOptions): Guardrails {
  const compile = toCompileOptions(options)
  const applied = compiledOrThrow(options.config, compile)
  const { ns, key } = options.config
  const opener = new SessionOpener({
    options,
    ns,
    key,
    compile,
    write: options.onEvent ?? (() => undefined),
    secrets: [],
    approvals: options.approvals ?? null,
    now: options.now ?? Date.now,
    report: safely(options.onDiagnostic),
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

/** null: the first key seen is trusted. */
function publicKeyFor(options: OnlineOptions): string | null {
  // biome-ignore lint/style/noProcessEnv: after a compromise, operators set the key on each machine for every program there.
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
      'Specify the prompt as "ns/key", for example "code-reviewer/main".',
    )
  // A header cannot hold them, and fetch's own error names neither the key nor the remedy.
  const apiKey = options.apiKey.trim()
  if (/[^\x21-\x7e]/.test(apiKey))
    throw new GuardrailError(
      'bad_options',
      'The API key has a character that no key has. Copy the whole key from the console.',
    )
  const [ns, key] = [options.prompt.slice(0, separator), options.prompt.slice(separator + 1)]
  const compile = toCompileOptions(options)
  const bootstrap =
    options.bootstrap === undefined ? null : compiledOrThrow(options.bootstrap, compile)
  const publicKey = publicKeyFor(options)
  const report = safely(options.onDiagnostic)
  const now = options.now ?? Date.now
  const folder = new DataFolder(options)
  const plane = new DataPlane({
    url: options.url,
    apiKey,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  })
  const spool = new Spool({
    folder: folder.spool,
    adopted: () => folder.spools,
    maxBytes: options.maxSpoolBytes ?? MAX_SPOOL_BYTES,
  })
  const uploader = new Uploader({ spool, plane, report })
  const write = (line: string) => {
    spool.append(line)
    uploader.notice()
  }
  const opener: SessionOpener = new SessionOpener({
    options,
    ns,
    key,
    compile,
    write,
    now,
    report,
    secrets: [apiKey],
    approvals:
      options.approvals ??
      controlPlaneApprovals({ plane, signingKeys: () => source.signingKeys, now }),
  })
  const orders = new SessionOrders({
    signingKeys: () => source.signingKeys,
    findSession: (id) => opener.find(id),
    now,
    report,
  })
  const source = new ConfigSource({
    plane,
    prompt: options.prompt,
    name: options.name ?? `${os.hostname()}-${process.pid}`,
    harness: options.harness ?? { name: 'library' },
    startupPolicy: options.startupPolicy ?? 'last_known_good',
    publicKey,
    compile,
    custom: options.custom ?? {},
    folder,
    report,
    now,
    liveSessions: () => opener.live,
    movedSessions: (runtimeId) => opener.listMoved(runtimeId),
    spooledEvents: () => spool.heldLines,
    onBundle: (bundle) => opener.askToTighten(bundle),
    onOrders: (given) => void orders.take(given),
    onPlace: () => {
      reportForeign(folder, report)
      uploader.notice()
    },
  })
  const choose = () =>
    inForce(source.status, options.startupPolicy === 'bootstrap' ? bootstrap : null)
  return {
    ready: (timeoutMs = 5000) => source.ready(timeoutMs),
    status: () => source.status,
    openSession: (session = {}) => {
      const opened = opener.open(choose(), session, {
        environment: resolveEnvironment(source.status),
        runtime: source.status.runtimeId,
      })
      // A resumed session keeps its former config, so it is asked to tighten at once.
      const { applied } = source.status
      if (session.resume !== undefined && applied !== null) opener.askToTighten(applied)
      return opened
    },
    close: async (timeoutMs = 5000) => {
      await uploader.close(timeoutMs)
      await source.close()
      if (spool.heldLines > 0) {
        const message = `Events that wait on this machine: ${spool.heldLines}. The next process sends them.`
        report({ level: 'warning', code: 'events_left', message })
      }
      try {
        spool.close()
      } catch (error) {
        report({ level: 'warning', code: 'spool_not_closed', message: describeError(error) })
      }
    },
  }
}

/** Reports events that this runtime cannot send, so that they do not wait unnoticed. */
function reportForeign(folder: DataFolder, report: OnDiagnostic): void {
  for (const { folder: other, place } of folder.foreign()) {
    const files = listLeftSegments(path.join(other, 'spool')).length
    if (files === 0) continue
    const whose =
      place === null
        ? 'their project is unknown; an agent with the API key and address that they were recorded with will send them'
        : `they belong to ${place.project}/${place.environment}; an agent with an API key for that environment will send them`
    report({
      level: 'warning',
      code: 'foreign_events',
      message: `Unsent events are waiting in ${other} (${files} files): ${whose}.`,
    })
  }
}
