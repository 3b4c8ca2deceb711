// The state is not sufficient, because it does not keep events that did not count.
import type { CompiledConfig } from '../../engine/compile.ts'
import { exhaustion } from '../../engine/decide-stop.ts'
import { toCall } from '../../kinds/policies/call.ts'
import type { Call } from '../../kinds/policies/policy.ts'
import type { Effect } from '../../model/effect.ts'
import type { EventOf, SessionEvent } from '../../model/event.ts'
import { callFingerprint } from '../../model/fingerprint.ts'
import type { SessionState } from '../../model/state.ts'
import type { GovernedStep } from '../../tighten/governing.ts'
import type { CauseRole, Mark } from './cause.ts'

interface OpenCall {
  readonly seq: number
  readonly tool: string
  /** `fileKey` of each file that rules find in the arguments. */
  readonly files: readonly string[]
}

export interface Trail {
  readonly open: Map<string, OpenCall>
  /** By tool: the last finished call without success. */
  readonly attempts: Map<string, Mark>
  /** By tool: the last call that ran without success. */
  readonly runs: Map<string, Mark>
  /** By `fileKey`: the last finished call on the file without success, and the last one with success. */
  readonly fileAttempts: Map<string, Mark>
  readonly fileSuccesses: Map<string, number>
  /** By prompt and tool: consecutive calls without success. */
  readonly failures: Map<string, number[]>
  /** By prompt: consecutive requests for the same call. */
  readonly repetition: Map<string, { readonly call: string; readonly seqs: number[] }>
  readonly blocks: number[]
  deadlineSeq: number | null
  /** Sequence number of the event that used up the budget; null: it is not used up. */
  budgetSeq: number | null
}

function newTrail(): Trail {
  return {
    open: new Map(),
    attempts: new Map(),
    runs: new Map(),
    fileAttempts: new Map(),
    fileSuccesses: new Map(),
    failures: new Map(),
    repetition: new Map(),
    blocks: [],
    deadlineSeq: null,
    budgetSeq: null,
  }
}

/** `path`: normal form. */
export function fileKey(form: string, path: string): string {
  return `${form}\n${path}`
}

function listFileKeys({ paths }: Call): readonly string[] {
  return paths.flatMap(({ form, found }) =>
    found.flatMap(({ normal }) => (normal === null ? [] : [fileKey(form, normal)])),
  )
}

export function promptKey(prompt: string, tool: string): string {
  return `${prompt}\n${tool}`
}

export function trailBefore(steps: Iterable<GovernedStep>, seq: number): Trail {
  const trail = newTrail()
  for (const { config, state, ...noted } of steps) {
    if (noted.event.seq >= seq) break
    note(config, trail, noted)
    noteBudget(trail, noted.event, state)
  }
  return trail
}

interface Noted {
  readonly event: SessionEvent
  readonly before: SessionState
  readonly effects: readonly Effect[]
}

function note(config: CompiledConfig, trail: Trail, { event, before, effects }: Noted): void {
  switch (event.type) {
    case 'session.started':
      trail.deadlineSeq = event.data.deadline_at === undefined ? null : event.seq
      break
    case 'tool.requested':
      noteRequest(config, trail, { event, before })
      break
    case 'tool.invoked':
      noteResult(config, trail, { event, before, role: findCauseRole(event, effects) })
      break
    case 'stop.attempted':
      if (effects.some(isRefusal)) trail.blocks.push(event.seq)
      break
    default:
      break
  }
}

function isRefusal(effect: Effect): boolean {
  return (
    effect.kind === 'stop.decided' &&
    (effect.data.verdict === 'blocked' || effect.data.verdict === 'error')
  )
}

function noteBudget(trail: Trail, event: SessionEvent, after: SessionState): void {
  if (event.type !== 'usage.recorded') return
  const isSpent = exhaustion({ ...after, deadlineAt: null }, event.at) !== null
  trail.budgetSeq = isSpent ? (trail.budgetSeq ?? event.seq) : null
}

function noteRequest(
  config: CompiledConfig,
  trail: Trail,
  { event, before }: { readonly event: EventOf<'tool.requested'>; readonly before: SessionState },
): void {
  const { call_id, args } = event.data
  const requested = toCall(config, event.data, before)
  const { tool } = requested
  trail.open.set(call_id, { seq: event.seq, tool, files: listFileKeys(requested) })
  const call = callFingerprint(tool, args)
  const row = trail.repetition.get(before.prompt)
  if (row?.call === call) row.seqs.push(event.seq)
  else trail.repetition.set(before.prompt, { call, seqs: [event.seq] })
}

/** null: a success that counts. */
function findCauseRole(
  { data }: EventOf<'tool.invoked'>,
  effects: readonly Effect[],
): CauseRole | null {
  const fault = effects.find((effect) => effect.kind === 'anomaly')
  if (fault?.kind === 'anomaly') {
    return fault.data.code === 'ran_despite_denial'
      ? 'attempt_despite_denial'
      : 'attempt_without_request'
  }
  switch (data.outcome) {
    case 'success':
      return null
    case 'failure':
      return 'attempt_failed'
    case 'denied':
      return 'attempt_denied'
    case 'invalid':
      return 'attempt_invalid'
    case 'unknown':
      return 'attempt_unknown'
    default:
      return data.outcome satisfies never
  }
}

function noteResult(
  config: CompiledConfig,
  trail: Trail,
  {
    event,
    before,
    role,
  }: {
    readonly event: EventOf<'tool.invoked'>
    readonly before: SessionState
    readonly role: CauseRole | null
  },
): void {
  const { seq, data } = event
  const tool = config.canonicalTool(data.tool)
  const call = trail.open.get(data.call_id)
  trail.open.delete(data.call_id)
  noteRow(trail, promptKey(before.prompt, tool), { seq, role })
  const files = call?.files ?? []
  if (role === null) {
    for (const key of files) trail.fileSuccesses.set(key, seq)
    return
  }
  const attempt: Mark = { seq, role }
  trail.attempts.set(tool, attempt)
  if (role !== 'attempt_denied' && role !== 'attempt_invalid') trail.runs.set(tool, attempt)
  for (const key of files) trail.fileAttempts.set(key, attempt)
}

/** Counts consecutive failures as the engine does: an unknown outcome neither adds one nor resets the count. */
function noteRow(
  { failures }: Trail,
  row: string,
  { seq, role }: { readonly seq: number; readonly role: CauseRole | null },
): void {
  if (role === null) failures.delete(row)
  else if (role === 'attempt_failed' || role === 'attempt_denied' || role === 'attempt_invalid') {
    const known = failures.get(row)
    if (known === undefined) failures.set(row, [seq])
    else known.push(seq)
  }
}

export function successesAfter(
  steps: Iterable<GovernedStep>,
  { seq, wanted }: { readonly seq: number; readonly wanted: ReadonlySet<string> },
): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  if (wanted.size === 0) return found
  const trail = newTrail()
  for (const { config, ...noted } of steps) {
    const { event } = noted
    const keys = event.seq > seq ? succeededIn(config, trail, noted) : []
    for (const key of keys) if (wanted.has(key) && !found.has(key)) found.set(key, event.seq)
    if (found.size === wanted.size) break
    note(config, trail, noted)
  }
  return found
}

function succeededIn(
  config: CompiledConfig,
  { open }: Trail,
  { event, effects }: Noted,
): readonly string[] {
  if (event.type !== 'tool.invoked' || findCauseRole(event, effects) !== null) return []
  return [config.canonicalTool(event.data.tool), ...(open.get(event.data.call_id)?.files ?? [])]
}
