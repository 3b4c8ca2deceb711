// The state of a session after any of its events, folded with the same `step` that decided. Continues from the nearest
// state known: a checkpoint of this process, or the fold that ingestion stored. Reads only; nothing here is recorded.
import { type CompiledConfig, initialState, type SessionState, step } from '@signalbox/core'
import { type LogPlace, readLog, readLogAt, readStoredFold } from '../../read-models/session-log.ts'
import { customTypesOf, findCompiledConfig, NO_CONFIG } from '../ingestion/compiled-configs.ts'
import { type FoldedSnapshot, fromSnapshot } from '../ingestion/fold.ts'
import { eventOfRow } from './logged-event.ts'

export interface FoldConfig {
  readonly config: CompiledConfig
  /** Null: the config of the session is not known here, so rules and triggers cannot be shown. */
  readonly digest: string | null
}

const PAGE = 1_000
const CHECKPOINT_EVERY = 500
const MOST_SESSIONS = 50

interface Checkpoints {
  readonly digest: string | null
  /** Ascending by seq. States share structure, so that keeping many is cheap. */
  readonly states: SessionState[]
}

// By session id. Session ids are unique over all projects, and a caller needs a LogPlace of its own project to get here.
const checkpoints = new Map<string, Checkpoints>()

export async function foldConfigOf(projectId: string, place: LogPlace): Promise<FoldConfig> {
  const digest = place.configDigest
  if (digest === null) return { config: NO_CONFIG, digest: null }
  const [row] = await readLogAt(place, [1])
  const first = row === undefined ? null : eventOfRow(place.sessionId, row)
  const known = await findCompiledConfig(projectId, digest, customTypesOf(first))
  return known === null ? { config: NO_CONFIG, digest: null } : { config: known, digest }
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

function keep(entry: Checkpoints, state: SessionState): void {
  const last = entry.states.at(-1)
  if (last === undefined || state.seq >= last.seq + CHECKPOINT_EVERY) entry.states.push(state)
}

async function storedState(
  place: LogPlace,
  digest: string | null,
  seq: number,
): Promise<SessionState | null> {
  const stored = await readStoredFold(place)
  if (stored === null || stored.seq > seq) return null
  // Written by ingestion's toSnapshot; its version is checked by fromSnapshot.
  const folded = fromSnapshot(JSON.parse(stored.state) as FoldedSnapshot)
  return folded !== null && folded.basis.digest === digest ? folded.state : null
}

/** `seq` beyond the contiguous events gives the state after the last of these. */
export async function foldTo(
  place: LogPlace,
  { config, digest }: FoldConfig,
  seq: number,
): Promise<SessionState> {
  const target = Math.min(seq, place.contiguousSeq)
  const entry = checkpointsOf(place.sessionId, digest)
  const nearest = entry.states.findLast((state) => state.seq <= target)
  const stored = nearest === undefined ? await storedState(place, digest, target) : null
  let state = nearest ?? stored ?? initialState(config.promptName)
  while (state.seq < target) {
    const range = { from: state.seq + 1, to: target, limit: PAGE }
    const rows = await readLog(place, range)
    if (rows.length === 0) break
    for (const row of rows) {
      state = step(config, state, eventOfRow(place.sessionId, row)).state
      keep(entry, state)
    }
  }
  return state
}
