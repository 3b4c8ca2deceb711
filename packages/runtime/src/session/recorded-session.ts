// Refuses a log that is incomplete, of another prompt or already ended: guardrails with a different state would decide differently.
import {
  type CompileOptions,
  type ConfigDocument,
  type Effect,
  type EventOf,
  initialState,
  type SessionEvent,
  type SessionStarted,
  type SessionState,
  type ShadowStarted,
  step,
} from '@signalbox/core'
import { rememberOrder } from '@signalbox/core/host'
import { snapshotState } from '@signalbox/core/snapshot'
import { digestTakenBy, takeOver } from '@signalbox/core/tighten'
import { computeDigest, parseEventLine } from '@signalbox/wire'
import { GuardrailError } from '../base/guardrail-error.ts'
import { type AppliedConfig, compileDocument } from '../control-plane/applied-config.ts'
import { type PastRun, PastRunReader } from './past-run.ts'
import { hashRecorded } from './recorder.ts'

export interface RecordedSession {
  /** In order, as lines of JSON. If two consecutive lines have the same number, the later one counts: the earlier could not be recorded. */
  readonly events: readonly string[]
  /** Config with which the session began; null: there was none. */
  readonly config: ConfigDocument | null
  /** Configs of stricter versions to which the session moved, and possibly of some to which it did not. Absent: none. */
  readonly taken?: readonly ConfigDocument[]
}

export type OpenCall = EventOf<'tool.requested'>['data']

export interface UnansweredCall {
  readonly call: OpenCall
  /** A reviewer was asked, or was about to be. */
  readonly awaitsApproval: boolean
}

export interface ReadBack {
  readonly id: string
  /** Config in force at the end of the log; null: none. */
  readonly applied: AppliedConfig | null
  readonly started: SessionStarted
  /** null: not traced. */
  readonly trace: string | null
  readonly state: SessionState
  readonly last: { readonly line: string; readonly event: SessionEvent }
  /** Decisions whose record is missing, oldest first. */
  readonly unrecorded: readonly Effect[]
  /** Allowed calls without a result, oldest first. They may still be running. */
  readonly running: readonly OpenCall[]
  /** Calls that were not reported as allowed and have no recorded end, oldest first. */
  readonly unanswered: readonly UnansweredCall[]
  readonly callIds: ReadonlySet<string>
  /** Consecutive stops that could not be decided. */
  readonly failedStops: number
  readonly run: PastRun
  /** Shadow version when the process was killed; null: there was none. */
  readonly shadow: ShadowStarted | null
}

export interface ExpectedSession {
  readonly ns: string
  readonly key: string
  readonly compile: CompileOptions
}

/** Throws GuardrailError `resume_invalid`, which names the line. */
export function readBack(recorded: RecordedSession, expected: ExpectedSession): ReadBack {
  const lines = wholeLog(recorded.events)
  const [first] = lines
  if (first?.event.type !== 'session.started') throw refusal(1, 'A log begins with session.started')
  const started = first.event.data
  checkPrompt(started, expected)
  const applied = resolveApplied(recorded.config, first.event, expected.compile)
  const taken = new Map((recorded.taken ?? []).map((config) => [computeDigest(config), config]))
  const versions = readTakenVersions(lines, { applied, taken }, expected.compile)
  return fold(lines, { started, applied, versions })
}

type Versions = ReadonlyMap<number, AppliedConfig>

function readTakenVersions(
  lines: readonly Line[],
  {
    applied,
    taken,
  }: {
    readonly applied: AppliedConfig | null
    readonly taken: ReadonlyMap<string, ConfigDocument>
  },
  compile: CompileOptions,
): Versions {
  const versions = new Map<number, AppliedConfig>()
  let current = applied?.digest ?? null
  for (const [index, { event }] of lines.entries()) {
    const digest = digestTakenBy(event, current)
    if (digest === null) continue
    const document = taken.get(digest)
    if (document === undefined)
      throw refusal(index + 1, 'The version that the session moved to here is missing')
    versions.set(event.seq, { config: compileRecorded(document, compile), digest, version: 0 })
    current = digest
  }
  return versions
}

function compileRecorded(
  document: ConfigDocument,
  compile: CompileOptions,
): AppliedConfig['config'] {
  const result = compileDocument(document, compile)
  if (result.ok) return result.config
  throw new GuardrailError('config_invalid', `The config cannot be used: ${result.reason}`)
}

interface Line {
  readonly line: string
  readonly event: SessionEvent
}

/** Checks that the lines are contiguous, of one session, chained by hashes, and not ended. */
function wholeLog(texts: readonly string[]): readonly Line[] {
  const lines: Line[] = []
  let before: { readonly line: Line; readonly hash: string } | null = null
  for (const [index, text] of texts.entries()) {
    const line = { line: text, event: parseRecordedEvent(text, index + 1) }
    if (isReplacedByNext(line, texts[index + 1])) continue
    checkFollows(line.event, before, index + 1)
    before = { line, hash: hashRecorded(line.event) }
    lines.push(line)
  }
  return lines
}

function parseRecordedEvent(text: string, place: number): SessionEvent {
  const parsed = parseEventLine(text)
  if (!parsed.ok) throw refusal(place, parsed.problem.message)
  if (!parsed.known)
    throw refusal(place, `This version does not know the event type "${parsed.event.type}"`)
  return parsed.event
}

function isReplacedByNext({ event }: Line, next: string | undefined): boolean {
  const parsed = next === undefined ? null : parseEventLine(next)
  return parsed?.ok === true && parsed.event.seq === event.seq
}

function checkFollows(
  event: SessionEvent,
  before: { readonly line: Line; readonly hash: string } | null,
  place: number,
): void {
  const previous = before?.line.event ?? null
  if (event.seq !== (previous?.seq ?? 0) + 1)
    throw refusal(place, `Event ${(previous?.seq ?? 0) + 1} is missing; this is event ${event.seq}`)
  if (previous !== null && event.session !== previous.session)
    throw refusal(place, 'This event belongs to another session')
  if ((event.prev ?? null) !== (before?.hash ?? null))
    throw refusal(place, 'The event does not contain the hash of the event before it')
  const inForce = digestTakenBy(event, previous?.config ?? null) ?? previous?.config
  if (previous !== null && event.config !== inForce)
    throw refusal(place, 'This event belongs to another config version')
  if (event.type === 'session.ended') throw refusal(place, 'The session has ended')
}

function checkPrompt(started: SessionStarted, { ns, key, compile }: ExpectedSession): void {
  if (started.ns !== ns || started.key !== key)
    throw refusal(1, `The session belongs to "${started.ns}/${started.key}", not to "${ns}/${key}"`)
  const then = started.custom_types ?? []
  const now = [...(compile.customTypes ?? [])].sort()
  if (then.join('\n') !== now.join('\n'))
    throw refusal(
      1,
      `The session had code for the rule types ${joinTypes(then)}, but now there is code for ${joinTypes(now)}`,
    )
}

function joinTypes(types: readonly string[]): string {
  return types.length === 0 ? '(none)' : types.join(', ')
}

function resolveApplied(
  document: ConfigDocument | null,
  first: EventOf<'session.started'>,
  compile: CompileOptions,
): AppliedConfig | null {
  const digest = document === null ? null : computeDigest(document)
  if (digest !== (first.config ?? null))
    throw refusal(1, 'The given config is not the one that the session started with')
  if (document === null || digest === null) return null
  const config = compileRecorded(document, compile)
  return { config, digest, version: first.data.config_version ?? 0 }
}

interface Fold {
  state: SessionState
  unrecorded: Effect[]
  readonly open: Map<string, OpenCall>
  readonly decided: Set<string>
  readonly callIds: Set<string>
  failedStops: number
  shadow: ShadowStarted | null
}

function fold(
  lines: readonly Line[],
  {
    started,
    applied,
    versions,
  }: Pick<ReadBack, 'started' | 'applied'> & { readonly versions: Versions },
): ReadBack {
  let current = applied
  const so: Fold = {
    state: initialState(applied?.config.promptName ?? ''),
    unrecorded: [],
    open: new Map(),
    decided: new Set(),
    callIds: new Set(),
    failedStops: 0,
    shadow: null,
  }
  const run = new PastRunReader()
  for (const { event } of lines) {
    note(so, event)
    run.read(event)
    const before = current
    current = versions.get(event.seq) ?? before
    so.state = stateFor(before, current, so.state)
    const config = current?.config ?? null
    const next = config === null ? null : step(config, so.state, event)
    so.state = next?.state ?? {
      ...so.state,
      seq: event.seq,
      at: event.at,
      control: rememberOrder(so.state, event),
    }
    for (const effect of next?.effects ?? [])
      if (effect.kind !== 'anomaly') so.unrecorded.push(effect)
  }
  const last = lines.at(-1)
  if (last === undefined) throw refusal(1, 'The log is empty')
  const { open, decided, ...folded } = so
  const { pending } = snapshotState(so.state)
  const calls = [...open.values()].map((call) => ({ call, state: pending[call.call_id] }))
  const mayRun = ({ call, state }: (typeof calls)[number]) =>
    state?.denied === false && decided.has(call.call_id)
  return {
    ...folded,
    run: run.result,
    id: last.event.session,
    trace: last.event.trace ?? null,
    applied: current,
    started,
    last,
    running: calls.filter(mayRun).map(({ call }) => call),
    unanswered: calls
      .filter((each) => !mayRun(each))
      .map(({ call, state }) => ({ call, awaitsApproval: (state?.approval ?? null) !== null })),
  }
}

function stateFor(
  before: AppliedConfig | null,
  after: AppliedConfig | null,
  state: SessionState,
): SessionState {
  const hasMoved = before !== null && after !== null && before !== after
  return hasMoved ? takeOver(before.config, after.config, state) : state
}

function note(so: Fold, event: SessionEvent): void {
  const place = so.unrecorded.findIndex((effect) => isRecordedAs(event, effect))
  if (place >= 0) so.unrecorded.splice(place, 1)
  switch (event.type) {
    case 'tool.requested':
      so.open.set(event.data.call_id, event.data)
      so.callIds.add(event.data.call_id)
      break
    case 'tool.decided':
      so.decided.add(event.data.call_id)
      break
    case 'tool.invoked':
      so.open.delete(event.data.call_id)
      so.callIds.add(event.data.call_id)
      break
    case 'stop.decided':
      so.failedStops = UNDECIDED.has(event.data.code) ? so.failedStops + 1 : 0
      break
    case 'shadow.started':
      so.shadow = event.data
      break
    case 'shadow.stopped':
      so.shadow = null
      break
    default:
      break
  }
}

const UNDECIDED: ReadonlySet<string> = new Set([
  'stop.no_config',
  'stop.not_decided',
  'stop.undecided_often',
])

function isRecordedAs(event: SessionEvent, effect: Effect): boolean {
  switch (effect.kind) {
    case 'tool.decided':
    case 'content.decided':
    case 'approval.requested':
      return event.type === effect.kind && event.data.call_id === effect.data.call_id
    case 'feedback.delivered':
      return (
        event.type === effect.kind &&
        event.data.provider === effect.data.provider &&
        event.data.call_id === effect.data.call_id
      )
    case 'feedback.failed':
      return event.type === effect.kind && event.data.provider === effect.data.provider
    case 'stop.decided':
      return event.type === effect.kind
    case 'anomaly':
      return false
    default:
      return effect satisfies never
  }
}

function refusal(place: number, reason: string): GuardrailError {
  return new GuardrailError(
    'resume_invalid',
    `The session cannot resume from this log, line ${place}: ${reason}.`,
  )
}
