// Turns the event index into rows of a list. A call's request, decision and result make one row, as do a stop attempt and its decision;
// token usage of a model call joins the row before it. Missing sequence numbers and changes of date in the reader's zone make rows of their
// own. Pure.
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { dayReader } from './clock.ts'

export interface EventRow {
  readonly kind: 'event'
  /** Sequence number of the row's first event; stable for the life of the row. */
  readonly key: number
  /** The event that the row represents: the decision, if there is one. */
  readonly seq: number
  /** All events in the row, ascending. */
  readonly members: readonly number[]
  /** Epoch ms of the event `seq`. */
  readonly at: number
  readonly type: string
  readonly verdict: string | null
  readonly subject: string
  readonly text: string
  /** Text of the request: path, command, or origin of the stop. Unlike in `text`, the decision never replaces it. */
  readonly asked: string
  readonly durationMs: number | null
  /** The harness's name for the tool; null: the same as `subject`. */
  readonly nativeTool: string | null
  readonly isUndone: boolean
  /** The row is the final verification, which is no stop attempt of the agent. */
  readonly isFinal: boolean
}

export interface GapRow {
  readonly kind: 'gap'
  readonly key: number
  readonly from: number
  readonly to: number
}

export interface DateRow {
  readonly kind: 'date'
  readonly key: number
  /** Epoch ms of the first event of the day. */
  readonly at: number
}

export type SessionRow = EventRow | GapRow | DateRow

/** The verification after the end of the agent, which is no stop attempt. */
export function isFinalCheck([, , type, , , text]: IndexEntry): boolean {
  return type === 'stop.attempted' && text === 'final'
}

/** Reason of the last stop up to `seq`; undefined: it was not blocked, or there was none. */
export function findLastBlock(entries: readonly IndexEntry[], seq: number): string | undefined {
  const last = entries.findLast(([at, , type]) => type === 'stop.decided' && at <= seq)
  return last?.[3] === 'blocked' ? last[5] : undefined
}

function toEventIndexRow(entry: IndexEntry): EventRow {
  const [seq, at, type, verdict, subject, text, durationMs, nativeTool] = entry
  const row = { key: seq, seq, members: [seq], at, type, verdict, text, durationMs, nativeTool }
  const isFinal = isFinalCheck(entry)
  return { kind: 'event', ...row, asked: text, subject: subject ?? '', isUndone: false, isFinal }
}

/** A request is decided before anything else is recorded, so a decision right after it belongs to it. */
function isAnswerTo(entry: IndexEntry, row: EventRow | undefined): row is EventRow {
  if (row === undefined || entry[0] !== row.seq + 1) return false
  return (
    (entry[2] === 'tool.decided' && row.type === 'tool.requested') ||
    (entry[2] === 'stop.decided' && row.type === 'stop.attempted')
  )
}

function answered(row: EventRow, [seq, at, type, verdict, , text]: IndexEntry): EventRow {
  // The label of an allowed call is its action; that of any other call is the reason.
  const answer = { ...row, members: [...row.members, seq], seq, at, type, verdict }
  if (verdict === 'would_deny') return { ...answer, text: `${row.text} · ${text}` }
  if (verdict === 'allowed' && type === 'tool.decided') return answer
  if (!row.isFinal) return { ...answer, text }
  // The final verification comes after the run, so it blocks nothing.
  if (verdict === 'blocked') answer.verdict = 'incomplete'
  return { ...answer, text: text.replace(/attempt \d+$/, 'final verification') }
}

/** The index is loaded without payloads, so the outcome is read from the beginning of the summary. */
function isFailure(text: string): boolean {
  return !/^(success|denied|invalid)/.test(text)
}

const UNDONE = 'not counted'

function finished(row: EventRow, [seq, , , , , text, durationMs]: IndexEntry): EventRow {
  const done = { ...row, members: [...row.members, seq], durationMs }
  if (row.verdict === 'allowed' || row.verdict === 'would_deny') {
    return isFailure(text)
      ? { ...done, text: `${row.text} · ${text} · ${UNDONE}`, isUndone: true }
      : { ...done, text: text.startsWith('success') ? row.text : `${row.text} · ${text}` }
  }
  const hasRunAnyway = row.verdict !== null && !/^(denied|invalid)/.test(text)
  return hasRunAnyway ? { ...done, text: `It ran anyway · ${row.text}` } : done
}

/** Appending costs time for new events only, however long the session is. */
class RowFold {
  readonly #isFolded: boolean
  readonly #rows: SessionRow[] = []
  readonly #open = new Map<string, readonly number[]>()
  #last = -1
  #seq = 0
  readonly #readDay: (at: number) => string
  /** `2026-11-20`; sorts as text. */
  #day: string | null = null

  constructor(isFolded: boolean, zone: string) {
    this.#isFolded = isFolded
    this.#readDay = dayReader(zone)
  }

  get rows(): readonly SessionRow[] {
    return this.#rows.slice()
  }

  add(entry: IndexEntry): void {
    const [seq, at, type, , subject] = entry
    const next = this.#seq + 1
    if (seq !== next) this.#rows.push({ kind: 'gap', key: -next, from: next, to: seq - 1 })
    this.#seq = seq
    if (this.#isAbsorbed(entry)) return
    const day = this.#readDay(at)
    if (this.#day !== null && day > this.#day) {
      this.#rows.push({ kind: 'date', key: -0.5 - seq, at })
    }
    if (this.#day === null || day > this.#day) this.#day = day
    this.#last = this.#rows.push(toEventIndexRow(entry)) - 1
    if (type === 'tool.requested') {
      const tool = subject ?? ''
      this.#open.set(tool, [...(this.#open.get(tool) ?? []), this.#last])
    }
  }

  #eventAt(place: number): EventRow | undefined {
    const row = this.#rows[place]
    return row?.kind === 'event' ? row : undefined
  }

  #isAbsorbed(entry: IndexEntry): boolean {
    const last = this.#eventAt(this.#last)
    const call = entry[2] === 'tool.invoked' ? this.#takeCall(entry[4] ?? '') : null
    if (!this.#isFolded) {
      if (call !== null && isFailure(entry[5])) this.#undo(call)
      return false
    }
    if (entry[2] === 'usage.recorded' && last !== undefined) {
      this.#rows[this.#last] = { ...last, members: [...last.members, entry[0]] }
      return true
    }
    if (isAnswerTo(entry, last)) {
      this.#rows[this.#last] = answered(last, entry)
      return true
    }
    const row = call === null ? undefined : this.#eventAt(call)
    if (call === null || row === undefined) return false
    this.#rows[call] = finished(row, entry)
    return true
  }

  /** Also undoes the decision if it is the next row. */
  #undo(call: number): void {
    for (const place of [call, call + 1]) {
      const row = this.#eventAt(place)
      if (row?.type.startsWith('tool.')) this.#rows[place] = { ...row, isUndone: true }
    }
  }

  /** Null: several calls are open, so the result cannot be assigned and stays a separate row. */
  #takeCall(tool: string): number | null {
    const open = this.#open.get(tool) ?? []
    this.#open.set(tool, open.slice(1))
    return open.length === 1 ? (open[0] ?? null) : null
  }
}

/** `isFolded` false: every event has its own row. Days begin at midnight of `zone`. */
export function sessionRows(
  entries: readonly IndexEntry[],
  isFolded: boolean,
  zone = 'UTC',
): readonly SessionRow[] {
  return rowReader(isFolded, zone)(entries)
}

/** Incremental `sessionRows`: a call with more of the same entries reads only the added ones. */
export function rowReader(
  isFolded: boolean,
  zone = 'UTC',
): (entries: readonly IndexEntry[]) => readonly SessionRow[] {
  let fold = new RowFold(isFolded, zone)
  let read: readonly IndexEntry[] = []
  let rows: readonly SessionRow[] = []
  return (entries) => {
    if (entries === read) return rows
    const isContinued = entries[0] === read[0] && entries[read.length - 1] === read.at(-1)
    if (!isContinued) fold = new RowFold(isFolded, zone)
    for (const entry of entries.slice(isContinued ? read.length : 0)) fold.add(entry)
    read = entries
    rows = fold.rows
    return rows
  }
}

/** -1: no row contains the event. */
export function findSeqIndex(rows: readonly SessionRow[], seq: number): number {
  return rows.findIndex((row) => row.kind === 'event' && row.members.includes(seq))
}

const texts = new WeakMap<EventRow, string>()

/** Lower case, built once per row. */
export function rowText(row: EventRow): string {
  const known = texts.get(row)
  if (known !== undefined) return known
  const { seq, verdict, type, subject, nativeTool, text } = row
  const made = [`#${seq}`, verdict, type, subject, nativeTool, text].join(' ').toLowerCase()
  texts.set(row, made)
  return made
}
