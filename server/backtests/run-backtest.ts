// Stores each session's result once, so that it can stop at any time and continue later, on any replica.
import type { CompiledConfig, SessionEvent } from '@signalbox/core'
import { FOLDED_EVENT_TYPES } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked } from '@signalbox/core/lint'
import { digestTakenBy } from '@signalbox/core/tighten'
import { parseConfigText } from '@signalbox/wire'
import { recallSessions } from '@/server/archive/recall.ts'
import { findCompiledConfig, readCustomTypes } from '@/server/ingest/compiled-configs.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import {
  type BacktestToRun,
  chooseUnits,
  endBacktest,
  findBacktestToRun,
  isWanted,
  markRunning,
  storeUnits,
} from './backtests.sql.ts'
import {
  parsePiece,
  type ReplayPiece,
  type ReplayUnit,
  readPinnedPage,
  readReplayPage,
  waitingUnits,
} from './replay-log.sql.ts'
import {
  openReplay,
  type Replaying,
  type ReplayResult,
  type UnitReason,
  unreplayed,
} from './replay-unit.ts'

/** Events per read: about 20 ms of folding, so that concurrent requests are answered. */
const PAGE = 4_000
/** Units that are read at once; at the end of each lot, no page is read ahead. */
const UNITS = 1_000
const LOOK_MS = 300

const expressions = celExpressions()

/** Ends early, without an error, when the run was canceled. Rejects when `signal` aborts; the next attempt continues. */
export async function runBacktest(id: string, signal: AbortSignal): Promise<void> {
  const backtest = await findBacktestToRun(id)
  if (backtest === null || !(await markRunning(backtest))) return
  await chooseUnits(backtest)
  await tell(backtest)
  const run = newRun(backtest, signal)
  for (;;) {
    const units = await waitingUnits(backtest.projectId, id, UNITS)
    if (units.length === 0) break
    if (!(await replayGroups(run, groupUnits(units)))) return
  }
  await inTransaction(async (tx) => {
    await endBacktest(tx, { id, projectId: backtest.projectId, status: 'done' })
    await notify(tx, { project: backtest.projectId, kind: 'backtest', id })
  })
}

export async function failBacktest(id: string, error: string): Promise<void> {
  const backtest = await findBacktestToRun(id)
  if (backtest === null) return
  const { projectId } = backtest
  await inTransaction(async (tx) => {
    await endBacktest(tx, { id, projectId, status: 'failed', error })
    await notify(tx, { project: projectId, kind: 'backtest', id })
  })
}

async function tell({ id, projectId }: BacktestToRun): Promise<void> {
  await inTransaction((tx) => notify(tx, { project: projectId, kind: 'backtest', id }))
}

interface Run {
  readonly backtest: BacktestToRun
  readonly signal: AbortSignal
  readonly afterFor: (customTypes: readonly string[]) => CompiledConfig
  lookedAt: number
}

function newRun(backtest: BacktestToRun, signal: AbortSignal): Run {
  const parsed = parseConfigText(backtest.text)
  const compiled = new Map<string, CompiledConfig>()
  return {
    backtest,
    signal,
    lookedAt: Date.now(),
    afterFor(sessionTypes) {
      const customTypes = [...new Set([...backtest.customTypes, ...sessionTypes])].sort()
      const key = JSON.stringify(customTypes)
      const known = compiled.get(key)
      if (known !== undefined) return known
      const result = parsed.ok
        ? compileChecked(parsed.document, { expressions, customTypes })
        : parsed
      if (!result.ok) throw new Error('The config of the backtest no longer compiles.')
      compiled.set(key, result.config)
      return result.config
    },
  }
}

function groupUnits(units: readonly ReplayUnit[]): readonly (readonly ReplayUnit[])[] {
  const groups: ReplayUnit[][] = []
  let events = 0
  for (const unit of units) {
    const group = groups.at(-1)
    const isAlone = unit.caseId !== null || group?.[0]?.caseId !== null
    if (group === undefined || isAlone || events + unit.upTo > PAGE) {
      groups.push([unit])
      events = unit.upTo
    } else {
      group.push(unit)
      events += unit.upTo
    }
  }
  return groups
}

type Group = readonly ReplayUnit[]
type Page = readonly ReplayPiece[]

/** Reads, folds and stores groups in parallel. False: the run is no longer wanted. */
async function replayGroups(run: Run, groups: readonly Group[]): Promise<boolean> {
  const { backtest } = run
  let reading: Promise<Page> = readPage(run, groups[0] ?? [], 0)
  let storing: Promise<boolean> = Promise.resolve(true)
  try {
    for (const [index, group] of groups.entries()) {
      if (!(await goesOn(run))) return false
      const first = await reading
      reading = begun(readPage(run, groups[index + 1] ?? [], 0))
      const results = await foldGroup(run, group, first)
      if (results === null || !(await storing)) return false
      const units = results.map(({ unit }) => unit)
      const changes = results.flatMap((result) => result.changes)
      storing = begun(storeUnits(backtest, units, changes))
    }
    return await storing
  } finally {
    // No work of a run continues after its end.
    await Promise.allSettled([reading, storing])
  }
}

/** For work that is awaited later: handles its rejection until then. */
function begun<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => undefined)
  return work
}

/** Null: the run is no longer wanted. */
async function foldGroup(
  run: Run,
  group: Group,
  first: Page,
): Promise<readonly ReplayResult[] | null> {
  const open = new Map(group.map((unit) => [unit.sessionId, openUnit(run, unit)]))
  for (let page = first; ; ) {
    const count = page.reduce((sum, piece) => sum + piece.count, 0)
    // Only a unit in a group of its own can have several pages.
    const hasMore = group.length === 1 && count === PAGE
    const next = hasMore ? begun(readPage(run, group, page.at(-1)?.last ?? 0)) : null
    for (const piece of page) await open.get(piece.session)?.fold(piece)
    if (next === null) break
    page = await next
    if (!(await goesOn(run))) return null
  }
  return [...open.values()].map((unit) => unit.finish())
}

/** Also reports progress. False: the run was canceled. Rejects when the server stops. */
async function goesOn(run: Run): Promise<boolean> {
  run.signal.throwIfAborted()
  if (Date.now() - run.lookedAt < LOOK_MS) return true
  run.lookedAt = Date.now()
  await tell(run.backtest)
  return await isWanted(run.backtest)
}

async function readPage({ backtest }: Run, group: Group, after: number): Promise<Page> {
  const { projectId } = backtest
  const [first] = group
  if (first === undefined) return []
  if (first.caseId !== null) {
    const page = { after, upTo: first.upTo, limit: PAGE }
    return await readPinnedPage(projectId, first.sessionId, page)
  }
  const places = group.flatMap(({ sessionId, partitionDay, upTo }) =>
    partitionDay === null ? [] : [{ sessionId, partitionDay, upTo }],
  )
  await recallSessions(
    projectId,
    places.map(({ sessionId }) => sessionId),
  )
  return await readReplayPage(projectId, places, { types: FOLDED_EVENT_TYPES, after, limit: PAGE })
}

interface OpenUnit {
  fold(piece: ReplayPiece): Promise<void>
  finish(): ReplayResult
}

/** Its configs are known once its first event is. */
function openUnit(run: Run, unit: ReplayUnit): OpenUnit {
  let opened: Opened | null = null
  let reason: UnitReason | null = unit.isDiverged ? 'not_verified' : null
  return {
    async fold(piece) {
      if (reason !== null) return
      for (const event of parsePiece(piece)) {
        reason ??= findLogFlaw(event, opened === null)
        if (reason !== null) return
        opened ??= await openAt(run, unit, event)
        const known = opened?.knowsVersion(event) ?? false
        // Nearly every version is already known, and awaiting it would cost more than folding the event.
        if (known === true || (await known)) opened?.replaying.fold(event)
        else reason = 'config_unknown'
      }
    },
    finish() {
      if (reason !== null) return unreplayed(unit, reason)
      return opened === null ? unreplayed(unit, 'events_missing') : opened.replaying.finish()
    },
  }
}

/** Reason why the log cannot be folded from here on; null: it can. */
function findLogFlaw({ seq, data }: SessionEvent, isFirst: boolean): UnitReason | null {
  if (Object.hasOwn(data, '$removed')) return 'payloads_removed'
  return isFirst && seq !== 1 ? 'events_missing' : null
}

interface Opened {
  readonly replaying: Replaying
  /** Ask before folding each event. False: the session takes a version that is not known here. */
  knowsVersion(event: SessionEvent): boolean | Promise<boolean>
}

async function openAt(run: Run, unit: ReplayUnit, first: SessionEvent): Promise<Opened | null> {
  const { configDigest, caseId } = unit
  const customTypes = readCustomTypes(first)
  const after = run.afterFor(customTypes)
  const versions = new Map<string, CompiledConfig | null>()
  const findVersionConfig = async (digest: string): Promise<CompiledConfig | null> => {
    const known = versions.get(digest)
    if (known !== undefined) return known
    const found = await findCompiledConfig(run.backtest.projectId, digest, customTypes)
    versions.set(digest, found)
    return found
  }
  const before = configDigest === null ? null : await findVersionConfig(configDigest)
  // A case is compared with its expectation, not with the recorded decision.
  if (before === null && caseId === null) return null
  const find = (digest: string) => versions.get(digest) ?? null
  return {
    replaying: openReplay(unit, { before: { began: before ?? after, find }, after }),
    knowsVersion(event) {
      const taken = digestTakenBy(event, configDigest)
      return (
        taken === null ||
        findVersionConfig(taken).then((found) => found !== null || caseId !== null)
      )
    },
  }
}
