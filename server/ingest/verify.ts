// Sessions whose config is not known are folded for their state and stay `pending`.
import { setImmediate as othersHadTheirTurn } from 'node:timers/promises'
import type { CompiledConfig, SessionEvent } from '@signalbox/core'
import type { Breach } from '@signalbox/core/analysis'
import { digestTakenBy } from '@signalbox/core/tighten'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import {
  readEvents,
  readSnapshot,
  type Snapshot,
  type StoredEvent,
} from './batch/event-rows.sql.ts'
import {
  beginFold,
  type FoldBasis,
  type Folded,
  type FoldedSnapshot,
  type FoldInput,
  type FoldResult,
  type FoundAnomaly,
  foldOn,
  fromSnapshot,
  toSnapshot,
} from './batch/fold.ts'
import type { IncomingEvent } from './batch/incoming.ts'
import type { SessionRow } from './batch/session-rows.sql.ts'
import { findCompiledConfig, NO_CONFIG, readCustomTypes } from './compiled-configs.ts'
import { type LiveState, liveStateAt } from './live-states.ts'

const PAGE = 2_000
/** Folds are stored at multiples of this many events; the state at a later event is computed from them. */
const KEPT_EVERY = 500
/** Time for which events may be folded before other work gets a turn: a decision can take a tenth of a second, and a batch has many. */
const TURN_MS = 15
const MOST_A_TURN = 512
/** Text size of a folded event; Postgres stores less than a third of it (measured on 50,000 events: 219 bytes, 63 of them stored). */
const BYTES_AN_EVENT = 400

export interface Verified {
  readonly live: LiveState
  readonly kept: readonly Snapshot[]
  readonly divergedAt: number | null
  /** New ones only, ascending. */
  readonly anomalies: readonly FoundAnomaly[]
  /** New ones only, ascending: events at which the session took a looser version. */
  readonly loosened: readonly Breach[]
}

export function toFoldInput(sessionId: string, stored: StoredEvent): FoldInput {
  const { seq, at, type, data, config, trace, prev, hash } = stored
  const optional = {
    ...(config === null ? {} : { config }),
    ...(trace === null ? {} : { trace }),
    ...(prev === null ? {} : { prev }),
  }
  // The row was written from an event that the wire schema accepted, and rows never change.
  const event = { session: sessionId, seq, at, type, data, ...optional } as SessionEvent
  return { event, hash }
}

type Fresh = ReadonlyMap<number, IncomingEvent>

interface Batch {
  readonly contiguousBefore: number
  readonly fresh: Fresh
  /** Called with the events that the batch made contiguous, in order and part by part. */
  readonly onContiguous: (events: readonly SessionEvent[]) => Promise<void>
}

interface Base {
  readonly folded: Folded
  readonly snapshotSeq: number
  readonly snapshotBytes: number
}

async function restore(sql: SqlTx, row: SessionRow, upTo: number): Promise<Base | null> {
  const stored = await readSnapshot(sql, row.id, upTo)
  if (stored === null) return null
  // Written by toSnapshot; its version is checked by fromSnapshot.
  const folded = fromSnapshot(JSON.parse(stored.state) as FoldedSnapshot)
  if (folded === null) return null
  return { folded, snapshotSeq: stored.seq, snapshotBytes: stored.state.length }
}

async function resolveFoldBase(
  sql: SqlTx,
  row: SessionRow,
  { contiguousBefore, fresh }: Batch,
): Promise<Base> {
  const live = liveStateAt(row.id, contiguousBefore)
  if (live !== null) return live
  const restored = contiguousBefore === 0 ? null : await restore(sql, row, contiguousBefore)
  if (restored !== null) return restored
  const customTypes = readCustomTypes(await firstEvent(sql, row, fresh))
  const known = await findFoldConfig(row, { digest: row.configDigest, customTypes })
  const digest = known === null ? null : row.configDigest
  const folded = beginFold(known ?? NO_CONFIG, { digest, customTypes })
  return { folded, snapshotSeq: 0, snapshotBytes: 0 }
}

/** Null: there is nothing to fold yet. */
async function firstEvent(sql: SqlTx, row: SessionRow, fresh: Fresh): Promise<SessionEvent | null> {
  const incoming = fresh.get(1)
  if (incoming !== undefined) return incoming.event
  const { id: sessionId, partitionDay } = row
  const [stored] = await readEvents(sql, { sessionId, partitionDay, from: 1, to: 1, limit: 1 })
  return stored === undefined ? null : toFoldInput(sessionId, stored).event
}

async function findFoldConfig(row: SessionRow, basis: FoldBasis): Promise<CompiledConfig | null> {
  const { digest, customTypes } = basis
  return digest === null ? null : await findCompiledConfig(row.projectId, digest, customTypes)
}

async function versionsIn(
  row: SessionRow,
  { digest: current, customTypes }: FoldBasis,
  inputs: readonly FoldInput[],
): Promise<ReadonlyMap<string, CompiledConfig | null>> {
  const versions = new Map<string, CompiledConfig | null>()
  for (const { event } of inputs) {
    const digest = digestTakenBy(event, current)
    if (digest === null || versions.has(digest)) continue
    versions.set(digest, await findFoldConfig(row, { digest, customTypes }))
  }
  // A session may also return to its current version.
  if (versions.size > 0 && current !== null) {
    versions.set(current, await findFoldConfig(row, { digest: current, customTypes }))
  }
  return versions
}

/** Hands out as many events as one turn can fold: few while folding is slow, more while it is fast. */
function foldingTurns() {
  let ahead: readonly FoldInput[] = []
  let share = 1
  return {
    /** Calls `read` once all events that it returned before are handed out. */
    async next(read: () => Promise<readonly FoldInput[]>): Promise<readonly FoldInput[]> {
      if (ahead.length === 0) ahead = await read()
      const inputs = ahead.slice(0, share)
      ahead = ahead.slice(share)
      return inputs
    },
    /** Resolves after other work had its turn, if `fold` was slow. */
    async take(fold: () => FoldResult): Promise<FoldResult> {
      const began = performance.now()
      const result = fold()
      const isSlow = performance.now() - began > TURN_MS
      share = isSlow ? 1 : Math.min(share * 2, MOST_A_TURN)
      if (isSlow) await othersHadTheirTurn()
      return result
    },
  }
}

/** `row` has the new contiguous end, `contiguousBefore` is the old one. `fresh`: this batch's events; all others are read from the table. */
export async function verifyOn(sql: SqlTx, row: SessionRow, batch: Batch): Promise<Verified> {
  const { contiguousBefore, fresh } = batch
  const base = await resolveFoldBase(sql, row, batch)
  const kept: Snapshot[] = []
  let { folded, snapshotSeq, snapshotBytes } = base
  let divergedAt: number | null = null
  const anomalies: FoundAnomaly[] = []
  const loosened: Breach[] = []
  const turns = foldingTurns()
  while (folded.seq < row.contiguousSeq) {
    // After a restart, events that were contiguous before are folded again; their anomalies are counted already.
    const isNew = folded.seq >= contiguousBefore
    const last = isNew ? Math.min(row.contiguousSeq, nextKept(folded.seq)) : contiguousBefore
    const stretch = { after: folded.seq, last, fresh }
    const inputs = await turns.next(() => nextInputs(sql, row, stretch))
    const config = (await findFoldConfig(row, folded.basis)) ?? NO_CONFIG
    const versions = await versionsIn(row, folded.basis, inputs)
    const find = (digest: string) => versions.get(digest) ?? null
    const before = folded
    const result = await turns.take(() => foldOn({ config, find }, before, inputs))
    folded = result.folded
    divergedAt ??= result.divergedAt
    if (!isNew) continue
    await batch.onContiguous(inputs.map(({ event }) => event))
    anomalies.push(...result.anomalies)
    loosened.push(...result.loosened)
    if (!isDue({ folded, snapshotSeq, snapshotBytes }, row)) continue
    const snapshot = createSnapshot(row, folded)
    if (snapshot === null) continue
    kept.push(snapshot)
    snapshotSeq = snapshot.seq
    snapshotBytes = snapshot.state.length
  }
  return { live: { folded, snapshotSeq, snapshotBytes }, kept, divergedAt, anomalies, loosened }
}

function nextKept(seq: number): number {
  return seq - (seq % KEPT_EVERY) + KEPT_EVERY
}

/** True at every multiple, less often when the state is large (with 1 MB, every 2,500 events), and at the end of the session. */
function isDue({ folded: { seq }, snapshotSeq, snapshotBytes }: LiveState, row: SessionRow) {
  if (row.endedAt !== null && seq === row.contiguousSeq) return true
  return (
    seq % KEPT_EVERY === 0 &&
    seq - snapshotSeq >= Math.max(KEPT_EVERY, snapshotBytes / BYTES_AN_EVENT)
  )
}

/** Null before the first event. */
function createSnapshot({ id: sessionId }: SessionRow, folded: Folded): Snapshot | null {
  const { seq, hash } = folded
  return hash === null ? null : { sessionId, seq, hash, state: JSON.stringify(toSnapshot(folded)) }
}

interface Stretch {
  readonly after: number
  readonly last: number
  readonly fresh: Fresh
}

/** Longest run of events after `after`: fresh events when the next one is fresh, or else a page of stored ones. */
async function nextInputs(
  sql: SqlTx,
  row: SessionRow,
  { after, last, fresh }: Stretch,
): Promise<readonly FoldInput[]> {
  const run: FoldInput[] = []
  for (let seq = after + 1; seq <= last; seq++) {
    const incoming = fresh.get(seq)
    if (incoming === undefined) break
    run.push(incoming)
  }
  if (run.length > 0) return run
  let to = after + 1
  while (to < last && to < after + PAGE && !fresh.has(to + 1)) to += 1
  const { id: sessionId, partitionDay } = row
  const stored = await readEvents(sql, {
    sessionId,
    partitionDay,
    from: after + 1,
    to,
    limit: PAGE,
  })
  if (stored.length === 0) {
    throw new Error(`Event ${after + 1} of ${sessionId} is counted as stored but missing.`)
  }
  return stored.map((event) => toFoldInput(sessionId, event))
}
