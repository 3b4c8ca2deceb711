import type { CompiledConfig } from '@signalbox/core'
import { MOST_MOVED_SESSIONS, type Redact } from '@signalbox/wire'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import type { AppliedConfig, OpenedBundle } from '../control-plane/applied-config.ts'
import type { ApprovalSource } from '../facts/approvals.ts'
import { DEFAULT_ANSWER_MS, FactFinder, type FactFinderParts } from '../facts/fact-finder.ts'
import { type FileLookup, folderLookup, noFiles } from '../facts/file-lookup.ts'
import { redactor } from '../facts/redact.ts'
import { processTrace, sessionTelemetry, type TelemetryConfig } from '../telemetry/telemetry.ts'
import { normalTraceparent } from '../telemetry/traceparent.ts'
import type { Offer } from './config-choice.ts'
import { ContentGuard } from './content-guard.ts'
import { lineWriter, type WriteLine } from './event-lines.ts'
import type { ReadBack } from './recorded-session.ts'
import { Recorder } from './recorder.ts'
import { GuardedSession } from './session.ts'
import type { ConfigOrigin } from './session-answers.ts'
import {
  type Beginning,
  type BeginningParts,
  beginSession,
  NO_CONFIG,
  type SessionPlace,
  startedData,
} from './session-beginning.ts'
import { type Judging, SessionLog } from './session-log.ts'
import type { SessionOptions } from './session-options.ts'
import { ShadowFold } from './shadow-fold.ts'
import { withSharedContent } from './shared-content.ts'
import { findUnkeptContent, toReplaceable, unkeptSentence } from './unkept-content.ts'

export interface SessionOpenerParts extends BeginningParts {
  /** null: no one can be asked. */
  readonly approvals: ApprovalSource | null
  readonly write: WriteLine
  readonly secrets: readonly string[]
  readonly report: OnDiagnostic
}

interface LiveSession {
  /** Runtime that the first event names; null: none. */
  readonly runtime: string | null
  readonly tighten: (bundle: OpenedBundle) => void
}

export class SessionOpener {
  readonly #parts: SessionOpenerParts
  readonly #live = new Map<GuardedSession, LiveSession>()
  /** Where the next list of moved sessions begins. */
  #movedFrom = 0

  constructor(parts: SessionOpenerParts) {
    this.#parts = parts
  }

  get live(): number {
    return this.#live.size
  }

  /** null: no such session runs here. */
  find(id: string): GuardedSession | null {
    return [...this.#live.keys()].find((session) => session.id === id) ?? null
  }

  askToTighten(bundle: OpenedBundle): void {
    for (const { tighten } of this.#live.values()) tighten(bundle)
  }

  /**
   * Ids of running sessions whose first event names another runtime, or none: a process resumed them, or opened them before it was registered.
   * Lists at most 100, the next ones each time.
   */
  listMoved(runtimeId: string): readonly string[] {
    const moved = [...this.#live].flatMap(([{ id }, { runtime }]) =>
      runtime === runtimeId ? [] : [id],
    )
    const from = this.#movedFrom < moved.length ? this.#movedFrom : 0
    this.#movedFrom = from + MOST_MOVED_SESSIONS
    return moved.slice(from, this.#movedFrom)
  }

  open(offer: Offer, options: SessionOptions, place: SessionPlace): GuardedSession {
    const beginning = withKeptContent(beginSession(this.#parts, offer, options), options)
    const { applied, config, origin, before } = beginning
    const recorder = this.#recorder(beginning, options, place)
    const redact = redactor(config?.document.redaction ?? [], this.#parts.secrets)
    const finding = this.#finding(options, before, redact)
    const createJudging = (judged: CompiledConfig): Judging => ({
      config: judged,
      facts: new FactFinder({ ...finding, config: judged }),
    })
    const shadow = openShadowFold(beginning, finding)
    const { approvals, now, report } = this.#parts
    const log = new SessionLog({
      judge: config === null ? null : createJudging(config),
      recorder,
      state: before?.state ?? null,
      shadow,
    })
    const { answerMs } = finding
    const session = new GuardedSession({
      id: beginning.id,
      refusal: beginning.refusal ?? NO_CONFIG,
      log,
      content: new ContentGuard({ log, answerMs, report }),
      shadow,
      redact,
      approvals,
      now,
      report,
      before,
      approvalLimitMs: resolveApprovalLimit(options),
      channel: options.channel ?? 'in_result',
      plainFeedback: options.plainFeedback ?? false,
      heartbeat: options.heartbeat ?? null,
      onEnd: () => void this.#live.delete(session),
      keep: (document) => options.journal?.take(document),
    })
    const tighten = ({ applied: offered, revision, tighten: isAsked }: OpenedBundle): void => {
      if (!isAsked || offered === null) return
      const { digest, version } = offered
      // Never rejects.
      void session.tighten({ ...createJudging(offered.config), digest, version, revision })
    }
    const runtime = before === null ? place.runtime : (before.started.runtime ?? null)
    this.#live.set(session, { runtime, tighten })
    if (before !== null) {
      session.resume(before)
      return session
    }
    const version = applied?.version ?? null
    const { unkept } = beginning
    session.start(startedData(this.#parts, options, { ...place, version, redact, unkept }), origin)
    return session
  }

  #recorder(
    { id, applied, origin, config, before }: Beginning,
    options: SessionOptions,
    place: SessionPlace,
  ): Recorder {
    const { ns, key, write, now, report, options: given } = this.#parts
    const telemetry = sessionTelemetry(
      given.telemetry,
      {
        session: id,
        prompt: `${ns}/${key}`,
        at: now(),
        environment: place.environment,
        config: telemetryConfig(applied, origin),
        trace: normalTraceparent(before?.trace ?? options.trace),
        processTrace: processTrace(),
      },
      report,
    )
    return new Recorder({
      session: id,
      config: applied?.digest ?? null,
      now,
      trace: telemetry.trace,
      write: lineWriter({
        write,
        journal: options.journal,
        config,
        before,
        observers: [options.onEvent ?? [], telemetry.onEvent ?? []].flat(),
        report,
      }),
      after: before?.last.event ?? null,
    })
  }

  #finding(
    options: SessionOptions,
    before: ReadBack | null,
    redact: Redact,
  ): Omit<FactFinderParts, 'config'> {
    const { report, options: given } = this.#parts
    const { custom = {}, judge = null, answerTimeoutMs: answerMs = DEFAULT_ANSWER_MS } = given
    return { files: resolveFileLookup(options, before), custom, judge, redact, answerMs, report }
  }
}

interface KeptBeginning extends Beginning {
  /** Reason of every denial; null: the usual one. */
  readonly refusal: string | null
  /** Content rules that only warn in this harness. */
  readonly unkept: readonly string[]
}

/** A config with a rule that the harness cannot keep is not used in it. */
function withKeptContent(beginning: Beginning, options: SessionOptions): KeptBeginning {
  const { config, before } = beginning
  if (config === null) return { ...beginning, refusal: null, unkept: [] }
  const { refused, warned } = findUnkeptContent(config, toReplaceable(options.capabilities))
  if (before !== null || refused.length === 0)
    return { ...beginning, refusal: null, unkept: warned }
  const reason = unkeptSentence(refused)
  const unused = { applied: null, config: null, shadow: null, unkept: [] }
  return { ...beginning, ...unused, origin: { kind: 'none', reason }, refusal: reason }
}

function resolveApprovalLimit({ capabilities }: SessionOptions): number | null {
  const seconds = capabilities?.approvalSeconds ?? null
  return seconds === null ? null : seconds * 1000
}

function resolveFileLookup(options: SessionOptions, before: ReadBack | null): FileLookup {
  if (options.files !== undefined) return options.files
  const root = options.workspaceRoot ?? before?.started.workspace_root
  return root === undefined ? noFiles : folderLookup(root)
}

function openShadowFold(
  { shadow, config: live }: Beginning,
  finding: Omit<FactFinderParts, 'config'>,
): ShadowFold | null {
  if (shadow === null || live === null) return null
  const report = reportAsShadow(finding.report)
  const known = { ...shadow, config: withSharedContent(shadow.config, live) }
  const facts = new FactFinder({ ...finding, config: known.config, report })
  return new ShadowFold({ shadow: known, live, facts })
}

/** Errors of the shadow version, which acts on nothing, are not errors of the session. */
function reportAsShadow(report: OnDiagnostic): OnDiagnostic {
  return ({ code, message }) =>
    report({ level: 'warning', code: 'shadow', message: `${code}: ${message}` })
}

function telemetryConfig(
  applied: AppliedConfig | null,
  origin: ConfigOrigin,
): TelemetryConfig | null {
  if (applied === null || origin.kind === 'none') return null
  const { digest, version } = applied
  return { digest, version: version === 0 ? null : version, revision: origin.revision }
}
