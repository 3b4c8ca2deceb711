// From one call or stop that should not have been, the smallest change that refuses it and refuses nothing in good sessions. Candidates are
// tried on a table of all good calls, and the engine has the last word.
import { diffConfigs } from '../analysis/config-changes.ts'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { compileChecked } from '../lint/compile-checked.ts'
import type { SessionEvent } from '../model/event.ts'
import type { RanUnder } from '../tighten/governing.ts'
import type { Candidate, Findings } from './candidate.ts'
import { listConditionDrafts } from './conditions.ts'
import type { Context, Draft } from './draft.ts'
import { applyEdit } from './edit.ts'
import { compileAlone, countAsked, foldAlone } from './fold-alone.ts'
import { type Incident, type IncidentFault, readIncident, replayIncident } from './incident.ts'
import { listCallOrders, listStalePairs, listStopOrders } from './orders.ts'
import { listFileDrafts, listRateDrafts, listReadDrafts, listToolDrafts } from './other-drafts.ts'
import { listOwnLimits, listPresentRules, type PresentRule } from './present-rules.ts'
import { type Ranked, rankDrafts } from './rank.ts'
import type { Row } from './row.ts'
import { describeCandidate } from './sentences.ts'
import { type Reading, type ReadSession, readSession } from './session-rows.ts'
import {
  buildTable,
  countSessions,
  listRefused,
  MOST_SESSIONS,
  newestFirst,
  type Table,
} from './table.ts'
import { numberTools, type ToolNames } from './tool-names.ts'

const WINDOWS = [60, 600, 3600]
const DAY_MS = 86_400_000
const MOST_RESULTS = 5
/** The most general ones, and the one for exactly this call. */
const MOST_CONDITIONS = 3
const MOST_NEAR_MISSES = 2
/** Share of the sessions with such calls that a near miss may refuse. */
const NEAR_SHARE = 0.03

export interface CandidateOptions {
  /** Good sessions in which a candidate may refuse something. Absent: 0. */
  readonly maxDenied?: number
  /** Candidates, at most 5. Absent: 5. */
  readonly keep?: number
  /** Called now and then; true ends the search. Absent: never. */
  readonly isAborted?: () => boolean
  /** Called with what is found so far, after each candidate. Absent: nothing is called. */
  readonly onFound?: (findings: Findings) => void
}

export interface Prevent {
  /** Canonical name of the tool of the incident; null: it is a stop. */
  readonly tool: string | null
  /** Events of one session, in order of `seq`. */
  addGood(events: Iterable<SessionEvent>): void
  candidates(options?: CandidateOptions): Findings
}

export type OpenedPrevent =
  | { readonly ok: true; readonly prevent: Prevent }
  | { readonly ok: false; readonly fault: IncidentFault }

/**
 * `ran`: config under which the incident ran. `seq`: of the call or stop that should have been refused, of its approval, or of the record
 * of its decision.
 */
export function openPrevent(
  ran: RanUnder,
  events: readonly SessionEvent[],
  seq: number,
): OpenedPrevent {
  const read = readIncident(ran, events, seq)
  return read.ok ? { ok: true, prevent: new Search(read.incident) } : read
}

/** Its drafts are public for the laws. */
export class Search implements Prevent {
  readonly tool: string | null
  readonly #incident: Incident
  readonly #row: Row
  readonly #names: ToolNames = numberTools()
  readonly #pairs: readonly (readonly [number, number])[]
  readonly #present: readonly PresentRule[]
  readonly #reading: Reading
  #read: ReadSession[] = []
  #dropped = { sessions: 0, rows: 0 }

  constructor(incident: Incident) {
    this.#incident = incident
    this.tool = incident.tool
    this.#present = listPresentRules(incident)
    const governed = this.#present.map(({ governs }) => governs)
    const watched = new Set(governed.flatMap((tools) => (tools === 'every' ? [] : tools)))
    const watchesEvery = governed.includes('every')
    const { config } = incident
    const first: Reading = {
      target: incident.tool,
      names: this.#names,
      windows: listWindows(incident),
      wantsFiles: true,
      pairs: [],
      maxStopBlocks: config.maxStopBlocks,
      canonicalTool: config.canonicalTool,
      keepsArguments: (tool) => tool === incident.tool || watchesEvery || watched.has(tool),
    }
    this.#row = findRow(incident, first)
    this.#pairs = listStalePairs(this.#row)
    const wantsFiles =
      Array.isArray(this.#row.files) && this.#row.files.some(({ exists }) => exists)
    this.#reading = { ...first, wantsFiles, pairs: this.#pairs }
  }

  addGood(events: Iterable<SessionEvent>): void {
    const session = readSession(events, this.#reading)
    if (session === null) return
    const isUsed =
      session.rows.length > 0 ||
      this.#present.some(
        ({ governs }) => governs === 'every' || governs.some((tool) => session.tools.has(tool)),
      )
    this.#read.push(isUsed ? session : { ...session, events: [] })
    if (this.#read.length >= 2 * MOST_SESSIONS) this.#dropOldest()
  }

  /** Beyond the limits of the table, so that any order of sessions leaves the same. */
  #dropOldest(): void {
    const sorted = this.#read.sort(newestFirst)
    const dropped = sorted.slice(MOST_SESSIONS)
    this.#read = sorted.slice(0, MOST_SESSIONS)
    this.#dropped = {
      sessions: this.#dropped.sessions + dropped.length,
      rows: this.#dropped.rows + dropped.reduce((sum, { rows }) => sum + rows.length, 0),
    }
  }

  table(): Table {
    return buildTable(this.#read, this.#dropped)
  }

  candidates(options: CandidateOptions = {}): Findings {
    const { maxDenied = 0, keep = MOST_RESULTS } = options
    const { isAborted = () => false, onFound = () => undefined } = options
    const table = this.table()
    const ranked = rankDrafts(this.listDrafts(table), table)
    const answers = new Answers(table, { maxDenied, keep: Math.min(keep, MOST_RESULTS) })
    const used = {
      sessions: table.sessions.length,
      calls: table.rows.length,
      sessionsLeftOut: table.sessionsLeftOut,
      callsLeftOut: table.rowsLeftOut,
    }
    const list = (isCut: boolean): Findings => {
      const candidates = [...answers.candidates]
      const nearMisses = [...answers.nearMisses]
      return { candidates, nearMisses, used, tried: ranked.length, isCut }
    }
    for (const one of ranked) {
      if (answers.isFull()) break
      if (isAborted()) return list(true)
      const candidate = answers.mayTake(one.draft) ? this.#verify(one, table) : null
      if (candidate !== null && answers.add(candidate)) onFound(list(false))
    }
    return list(false)
  }

  listDrafts(table: Table): readonly Draft[] {
    const context: Context = {
      config: this.#incident.config,
      row: this.#row,
      table,
      names: this.#names,
      windows: this.#reading.windows,
      pairs: this.#pairs,
    }
    const { tool } = this
    const present = this.#present.map(({ draft }) => draft)
    return tool === null
      ? [...present, ...listStopOrders(context), ...listFileDrafts(context)]
      : [
          ...present,
          ...listCallOrders(context, tool),
          ...listReadDrafts(context, tool),
          ...listRateDrafts(context, tool),
          ...listConditionDrafts(context, tool),
          ...listToolDrafts(context, tool),
        ]
  }

  /** null: the changed document cannot be published, or the incident would still have happened. */
  #verify({ draft, chance, score }: Ranked, table: Table): Candidate | null {
    const before = this.#incident.config
    const document = applyEdit(before.document, draft.edit)
    const config = compileLike(before, document)
    const outcome = config === null ? null : replayIncident(config, this.#incident)
    const alone = compileAlone(before, draft.edit, draft.tools)
    if (outcome === null || alone === null) return null
    const denied: string[] = []
    let [cannotReplay, asks] = [0, 0]
    for (const session of table.sessions) {
      if (outcome === 'waits') {
        asks += countAsked(alone, session)
        continue
      }
      const answer = foldAlone(alone, session)
      if (answer === 'refused') denied.push(session.id)
      else if (answer === 'cannot_replay') cannotReplay += 1
    }
    return {
      kind: draft.kind,
      edit: draft.edit,
      changes: diffConfigs(before.document, document),
      document,
      sentence: describeCandidate(document, draft),
      cost: draft.cost,
      score,
      evidence: {
        goodCalls: table.rows.length,
        goodSessions: table.sessionsWithRows,
        chance,
      },
      outcome,
      denied,
      denies: denied.length,
      cannotReplay,
      asks,
      asksPerDay: asks / countDays(table),
      atoms: draft.atoms,
    }
  }
}

/** The best candidates, and the best of those that refuse only few good sessions. */
class Answers {
  readonly candidates: Candidate[] = []
  readonly nearMisses: Candidate[] = []
  readonly #table: Table
  readonly #most: { readonly maxDenied: number; readonly keep: number }
  #conditions = 0

  constructor(table: Table, most: { readonly maxDenied: number; readonly keep: number }) {
    this.#table = table
    this.#most = most
  }

  isFull(): boolean {
    return this.candidates.length >= this.#most.keep
  }

  /** False: the table shows already that it is no answer. */
  mayTake({ kind, test }: Draft): boolean {
    if (kind === 'condition' && this.#conditions >= MOST_CONDITIONS) return false
    const denies = test === null ? 0 : countSessions(this.#table, listRefused(this.#table, test))
    return denies <= this.#most.maxDenied || this.#mayMiss(denies)
  }

  /** True: it is one of the candidates now. */
  add(candidate: Candidate): boolean {
    const { denies, kind } = candidate
    const isAnswer = denies <= this.#most.maxDenied
    if (isAnswer) {
      this.candidates.push(candidate)
      if (kind === 'condition') this.#conditions += 1
    } else if (this.#mayMiss(denies)) this.nearMisses.push(candidate)
    return isAnswer
  }

  #mayMiss(denies: number): boolean {
    const share = denies / Math.max(1, this.#table.sessionsWithRows)
    return share < NEAR_SHARE && this.nearMisses.length < MOST_NEAR_MISSES
  }
}

function listWindows({ config, tool }: Incident): readonly number[] {
  const limits = tool === null ? [] : listOwnLimits(config.document, tool)
  const own = limits.map(({ per_seconds }) => per_seconds)
  return [...new Set([...WINDOWS, ...own])].sort((a, b) => a - b)
}

function findRow(incident: Incident, reading: Reading): Row {
  const session = readSession(incident.events, reading)
  const row = session?.rows.find(({ seq }) => seq === incident.seq)
  if (row === undefined) throw new Error('The allowed call or stop of an incident has a row.')
  return row
}

function countDays({ sessions }: Table): number {
  const times = sessions.map(({ startedAt }) => startedAt)
  const span = times.length === 0 ? 0 : (times[0] ?? 0) - (times.at(-1) ?? 0)
  return Math.max(1, span / DAY_MS)
}

/** A document with errors that the one before does not have cannot be published. null: it has some. */
function compileLike(before: CompiledConfig, document: ConfigDocument): CompiledConfig | null {
  const { options } = before
  const checked = compileChecked(document, options)
  if (checked.ok) return checked.config
  if (compileChecked(before.document, options).ok) return null
  const result = compileConfig(document, options)
  return result.ok ? result.config : null
}
