// The event index as the rows of a list: a call's request, decision and result make one row, as do a stop's attempt and its
// decision, and what a model call used belongs to the row before it; missing sequence numbers and changes of date make rows of their own. Pure.
import type { IndexEntry } from '@/server/read-models/event-index.ts'

export type { IndexEntry }

export interface EventRow {
  readonly kind: 'event'
  /** Stable for the life of the row: the sequence number of its first event. */
  readonly key: number
  /** The event that the row is about: the decision, where there is one. */
  readonly seq: number
  /** All events in the row, ascending. */
  readonly members: readonly number[]
  /** Epoch ms of the event `seq`. */
  readonly at: number
  readonly type: string
  readonly verdict: string | null
  readonly subject: string
  readonly text: string
  readonly durationMs: number | null
  /** As the harness names the tool; null: the same as the subject. */
  readonly nativeTool: string | null
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

type OpenRow = { -readonly [Name in keyof EventRow]: EventRow[Name] }

function rowOf(entry: IndexEntry): OpenRow {
  const [seq, at, type, verdict, subject, text, durationMs, nativeTool] = entry
  const row = { key: seq, seq, members: [seq], at, type, verdict, text, durationMs, nativeTool }
  return { kind: 'event', ...row, subject: subject ?? '' }
}

/** A request is decided before anything else is recorded, so a decision right behind it is its own. */
function isAnswerTo(entry: IndexEntry, row: OpenRow | undefined): row is OpenRow {
  if (row === undefined || entry[0] !== row.seq + 1) return false
  return (
    (entry[2] === 'tool.decided' && row.type === 'tool.requested') ||
    (entry[2] === 'stop.decided' && row.type === 'stop.attempted')
  )
}

/** The verification after the run is no attempt of the agent. */
const FINAL = 'final'
const FINAL_CHECK = 'final check'

export function isFinalCheck({ type, text }: EventRow): boolean {
  return (
    (type === 'stop.attempted' && text === FINAL) ||
    (type === 'stop.decided' && text.endsWith(FINAL_CHECK))
  )
}

function answer(row: OpenRow, [seq, at, type, verdict, , text]: IndexEntry): void {
  const isFinal = type === 'stop.decided' && row.text === FINAL
  row.members = [...row.members, seq]
  row.seq = seq
  row.at = at
  row.type = type
  row.verdict = verdict
  // An allowed call is told by what it does; anything else by the reason.
  if (type !== 'tool.decided' || verdict !== 'allowed')
    row.text = isFinal ? text.replace(/attempt \d+$/, FINAL_CHECK) : text
}

function finish(row: OpenRow, [seq, , , , , text, durationMs]: IndexEntry): void {
  row.members = [...row.members, seq]
  row.durationMs = durationMs
  if (row.verdict === 'allowed') {
    if (!text.startsWith('success')) row.text = `${row.text} · ${text}`
  } else if (row.verdict !== null && !/^(denied|invalid)/.test(text)) {
    row.text = `It ran all the same · ${row.text}`
  }
}

/** Calls that have no result yet, by the tool's name as the harness gave it. */
class OpenCalls {
  private readonly byTool = new Map<string, OpenRow[]>()

  add(tool: string, row: OpenRow): void {
    this.byTool.set(tool, [...(this.byTool.get(tool) ?? []), row])
  }

  /** Null when it cannot be told to which of several calls the result belongs: then it stays a row of its own. */
  take(tool: string): OpenRow | null {
    const open = this.byTool.get(tool) ?? []
    this.byTool.set(tool, open.slice(1))
    return open.length === 1 ? (open[0] ?? null) : null
  }
}

function dayOf(at: number): number {
  return Math.floor(at / 86_400_000)
}

/** True when the event became part of a row that is there already. */
function isAbsorbed(entry: IndexEntry, last: OpenRow | undefined, open: OpenCalls): boolean {
  if (entry[2] === 'usage.recorded' && last !== undefined) {
    last.members = [...last.members, entry[0]]
    return true
  }
  if (isAnswerTo(entry, last)) {
    answer(last, entry)
    return true
  }
  const call = entry[2] === 'tool.invoked' ? open.take(entry[4] ?? '') : null
  if (call === null) return false
  finish(call, entry)
  return true
}

/** `isFolded`: false gives every event its own row. Dates are UTC days. */
export function sessionRows(
  entries: readonly IndexEntry[],
  isFolded: boolean,
): readonly SessionRow[] {
  const rows: SessionRow[] = []
  const open = new OpenCalls()
  let last: OpenRow | undefined
  let [seq, day] = [0, dayOf(entries[0]?.[1] ?? 0)]
  for (const entry of entries) {
    const [next, at, type, , subject] = entry
    if (next !== seq + 1) rows.push({ kind: 'gap', key: -(seq + 1), from: seq + 1, to: next - 1 })
    seq = next
    if (isFolded && isAbsorbed(entry, last, open)) continue
    if (dayOf(at) > day) {
      day = dayOf(at)
      rows.push({ kind: 'date', key: -0.5 - next, at })
    }
    last = rowOf(entry)
    if (type === 'tool.requested') open.add(subject ?? '', last)
    rows.push(last)
  }
  return rows
}

/** Index of the row that holds the event; -1 when no row does. */
export function indexOfSeq(rows: readonly SessionRow[], seq: number): number {
  return rows.findIndex((row) => row.kind === 'event' && row.members.includes(seq))
}
