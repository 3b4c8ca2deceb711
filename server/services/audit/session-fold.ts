// The state of a session after any of its events, folded with the same `step` that decided. Continues from the nearest
// state known: a checkpoint of this process, or the fold that ingestion stored. Reads only; nothing here is recorded.
import {
  type CompiledConfig,
  initialState,
  type SessionEvent,
  type SessionState,
  step,
} from '@signalbox/core'
import { digestTakenBy, type FindConfig, type Governing, takenWith } from '@signalbox/core/tighten'
import { type LogPlace, readLog, readLogAt, readStoredFold } from '../../read-models/session-log.ts'
import { customTypesOf, findCompiledConfig, NO_CONFIG } from '../ingestion/compiled-configs.ts'
import { type FoldedSnapshot, fromSnapshot } from '../ingestion/fold.ts'
import { eventOfRow } from './logged-event.ts'

/** What a session began with. */
export interface FoldStart {
  readonly config: CompiledConfig
  /** Null: the config of the session is not known here, so rules and triggers cannot be shown. */
  readonly digest: string | null
  /** Of versions that the session took over while it ran; null: not known here. */
  readonly find: (digest: string) => Promise<CompiledConfig | null>
}

/** The state after an event, and the version in force then. */
export interface GovernedState extends Governing {
  readonly state: SessionState
}

const PAGE = 1_000
const CHECKPOINT_EVERY = 500
const MOST_SESSIONS = 50

interface Checkpoints {
  /** Of the version at the beginning. */
  readonly digest: string | null
  /** Ascending by seq. States share structure, so that keeping many is cheap. */
  readonly states: GovernedState[]
}

// By session id. Session ids are unique over all projects, and a caller needs a LogPlace of its own project to get here.
const checkpoints = new Map<string, Checkpoints>()

export async function foldStartOf(projectId: string, place: LogPlace): Promise<FoldStart> {
  const [row] = await readLogAt(place, [1])
  const customTypes = customTypesOf(row === undefined ? null : eventOfRow(place.sessionId, row))
  const find = (digest: string) => findCompiledConfig(projectId, digest, customTypes)
  const digest = place.configDigest
  const known = digest === null ? null : await find(digest)
  return known === null
    ? { config: NO_CONFIG, digest: null, find }
    : { config: known, digest, find }
}

function checkpointsOf(sessionId: string, digest: string | null): Checkpoints {
  const known = checkpoints.get(sessionId)
  const entry = known !== undefined && known.digest === digest ? known : { digest, states: [] }
  checkpoints.delete(sessionId)
  checkpoints.set(sessionId, entry)
  if (checkpoints.size > MOST_SESSIONS) {
    // A Map iterates in insertion order, so the first key is the one asked for longest ago.
    for (const oldest of checkpoints.keys()) {
      checkpoints.delete(oldest)
      break
    }
  }
  return entry
}

function keep(entry: Checkpoints, at: GovernedState): void {
  // Where a version in between is not known yet, what follows is folded again.
  if (at.digest === null && entry.digest !== null) return
  const last = entry.states.at(-1)
  if (last === undefined || at.state.seq >= last.state.seq + CHECKPOINT_EVERY) entry.states.push(at)
}

async function storedState(
  place: LogPlace,
  start: FoldStart,
  seq: number,
): Promise<GovernedState | null> {
  const stored = await readStoredFold(place)
  if (stored === null || stored.seq > seq) return null
  // Written by ingestion's toSnapshot; its version is checked by fromSnapshot.
  const folded = fromSnapshot(JSON.parse(stored.state) as FoldedSnapshot)
  if (folded === null) return null
  const { digest } = folded.basis
  if (digest === start.digest) return { config: start.config, digest, state: folded.state }
  const config = digest === null || start.digest === null ? null : await start.find(digest)
  return config === null ? null : { config, digest, state: folded.state }
}

/** The versions that the session takes over with one of the events. */
async function versionsIn(
  events: readonly SessionEvent[],
  { digest: current, config }: GovernedState,
  find: FoldStart['find'],
): Promise<FindConfig> {
  const versions = new Map<string, CompiledConfig | null>()
  if (current !== null) versions.set(current, config)
  for (const event of events) {
    const digest = digestTakenBy(event, current)
    if (digest !== null && !versions.has(digest)) versions.set(digest, await find(digest))
  }
  return (digest) => versions.get(digest) ?? null
}

/** `seq` beyond the contiguous events gives the state after the last of these. */
export async function foldTo(
  place: LogPlace,
  start: FoldStart,
  seq: number,
): Promise<GovernedState> {
  const { config, digest } = start
  const target = Math.min(seq, place.contiguousSeq)
  const entry = checkpointsOf(place.sessionId, digest)
  const nearest = entry.states.findLast(({ state }) => state.seq <= target)
  const stored = nearest === undefined ? await storedState(place, start, target) : null
  let at = nearest ?? stored ?? { config, digest, state: initialState(config.promptName) }
  while (at.state.seq < target) {
    const rows = await readLog(place, { from: at.state.seq + 1, to: target, limit: PAGE })
    if (rows.length === 0) break
    const events = rows.map((row) => eventOfRow(place.sessionId, row))
    const find = await versionsIn(events, at, start.find)
    for (const event of events) {
      const { state: before, ...governing } = at
      const taken = takenWith({ event, state: before }, governing, find)
      const now = taken?.governing ?? governing
      at = { ...now, state: step(now.config, taken?.state ?? before, event).state }
      keep(entry, at)
    }
  }
  return at
}
