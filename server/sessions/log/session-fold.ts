// Folded with the same `step` that decided. Continues from the nearest known state: a checkpoint of this process, or the stored fold.

import { type CompiledConfig, initialState, type SessionEvent } from '@signalbox/core'
import { conditionSettler } from '@signalbox/core/analysis'
import {
  digestTakenBy,
  type FindConfig,
  type GovernedState,
  governedStep,
} from '@signalbox/core/tighten'
import { type FoldedSnapshot, fromSnapshot } from '@/server/ingest/batch/fold.ts'
import { findCompiledConfig, NO_CONFIG, readCustomTypes } from '@/server/ingest/compiled-configs.ts'
import { type ConditionValue, recordConditions } from '@/server/ingest/recorded-conditions.ts'
import { registerCache } from '@/server/platform/base/process-memory.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { toLoggedEvent } from './logged-event.ts'
import { type LogPlace, readLog, readLogAt, readStoredFold } from './session-log.sql.ts'

export interface FoldStart {
  readonly config: CompiledConfig
  /** Null: the config of the session is not known here, so rules and triggers cannot be shown. */
  readonly digest: string | null
  readonly customTypes: readonly string[]
  readonly harnessMaxBlocks: number | null
  /** Finds a version of the project, including one that the session took while it ran; null: not known here. */
  readonly find: (digest: string) => Promise<CompiledConfig | null>
}

const PAGE = 1_000
const CHECKPOINT_EVERY = 500
const MOST_SESSIONS = 50

interface Checkpoints {
  readonly digest: string | null
  /** By sequence number, at multiples of `CHECKPOINT_EVERY`. States share structure, so keeping many is cheap. */
  readonly states: Map<number, GovernedState>
}

// By session id. Session ids are unique over all projects, and a caller needs a LogPlace of its own project.
const checkpoints = registerCache(new Map<string, Checkpoints>())

export async function findFoldStart(
  projectId: AuthorizedProjectId,
  place: LogPlace,
): Promise<FoldStart> {
  const [row] = await readLogAt(place, [1])
  const first = row === undefined ? null : toLoggedEvent(place.sessionId, row)
  const customTypes = readCustomTypes(first)
  const opening = first?.type === 'session.started' ? first.data : null
  const harnessMaxBlocks = opening?.capabilities?.max_blocks ?? null
  const find = (digest: string) => findCompiledConfig(projectId, digest, customTypes)
  const digest = place.configDigest
  const known = digest === null ? null : await find(digest)
  const more = { customTypes, harnessMaxBlocks, find }
  return known === null
    ? { config: NO_CONFIG, digest: null, ...more }
    : { config: known, digest, ...more }
}

function openCheckpoints(sessionId: string, digest: string | null): Checkpoints {
  const known = checkpoints.get(sessionId)
  const entry =
    known !== undefined && known.digest === digest ? known : { digest, states: new Map() }
  checkpoints.delete(sessionId)
  checkpoints.set(sessionId, entry)
  if (checkpoints.size > MOST_SESSIONS) {
    // A Map iterates in insertion order, so the first key is the one that was requested longest ago.
    for (const oldest of checkpoints.keys()) {
      checkpoints.delete(oldest)
      break
    }
  }
  return entry
}

function keep(entry: Checkpoints, at: GovernedState): void {
  // Events after an unknown version are folded again once it is known.
  if (at.digest === null && entry.digest !== null) return
  if (at.state.seq % CHECKPOINT_EVERY === 0) entry.states.set(at.state.seq, at)
}

function nearestKept({ states }: Checkpoints, seq: number): GovernedState | null {
  for (let at = seq - (seq % CHECKPOINT_EVERY); at > 0; at -= CHECKPOINT_EVERY) {
    const state = states.get(at)
    if (state !== undefined) return state
  }
  return null
}

async function storedState(
  place: LogPlace,
  start: FoldStart,
  seq: number,
): Promise<GovernedState | null> {
  const stored = await readStoredFold(place, seq)
  if (stored === null) return null
  // Written by ingestion's toSnapshot; its version is checked by fromSnapshot.
  const folded = fromSnapshot(JSON.parse(stored.state) as FoldedSnapshot)
  if (folded === null) return null
  const { digest } = folded.basis
  if (digest === start.digest) return { config: start.config, digest, state: folded.state }
  const config = digest === null || start.digest === null ? null : await start.find(digest)
  return config === null ? null : { config, digest, state: folded.state }
}

function later(one: GovernedState | null, other: GovernedState | null): GovernedState | null {
  if (one === null || other === null) return one ?? other
  return other.state.seq > one.state.seq ? other : one
}

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

/** For each of these consecutive events, the values of the conditions that it asks for, then of the checker's after it. */
export async function listConditionValues(
  place: LogPlace,
  start: FoldStart,
  events: readonly SessionEvent[],
): Promise<readonly (readonly ConditionValue[])[]> {
  const [first] = events
  if (first === undefined) return []
  let at = await foldTo(place, start, first.seq - 1)
  const find = await versionsIn(events, at, start.find)
  let settle = conditionSettler(at.config)
  return events.map((event) => {
    const { result, values } = recordConditions(() => {
      const stepped = governedStep(at, event, find)
      if (stepped.config !== at.config) settle = conditionSettler(stepped.config)
      settle(stepped.state)
      return stepped
    })
    at = result
    return values
  })
}

/** With a `seq` beyond the contiguous events, returns the state after the last of these. */
export async function foldTo(
  place: LogPlace,
  start: FoldStart,
  seq: number,
): Promise<GovernedState> {
  const { config, digest } = start
  const target = Math.min(seq, place.contiguousSeq)
  const entry = openCheckpoints(place.sessionId, digest)
  const kept = nearestKept(entry, target)
  const isNear = kept !== null && target - kept.state.seq < CHECKPOINT_EVERY
  const stored = isNear ? null : await storedState(place, start, target)
  let at = later(kept, stored) ?? { config, digest, state: initialState(config.promptName) }
  while (at.state.seq < target) {
    const rows = await readLog(place, { from: at.state.seq + 1, to: target, limit: PAGE })
    if (rows.length === 0) break
    const events = rows.map((row) => toLoggedEvent(place.sessionId, row))
    const find = await versionsIn(events, at, start.find)
    for (const event of events) {
      const { digest: inForce, config: now, state } = governedStep(at, event, find)
      at = { digest: inForce, config: now, state }
      keep(entry, at)
    }
  }
  return at
}
