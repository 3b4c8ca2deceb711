// The NDJSON that runtimes send (specs/events.md), so that `signalbox replay --check` reproduces the decisions. Reads page by page.

import { listSessionNotes } from '@/server/annotations/annotations.ts'
import type { InProject, ProjectScope } from '@/server/platform/auth/scope.ts'
import {
  type Cells,
  EXPORT_PAGE,
  instant,
  writeListFile,
} from '@/server/platform/list/list-file.ts'
import { requireLogPlace } from './log/log-place.ts'
import {
  type LogPlace,
  type LogRow,
  type LogText,
  readLog,
  readLogTexts,
} from './log/session-log.sql.ts'

const PAGE = 1_000

/** Inserts the data as stored text, so that numbers and escapes keep their form. */
function formatLogLine(session: string, row: LogText): string {
  const { seq, at, type, data, config, trace, prev } = row
  const envelope = JSON.stringify({ session, seq, at, type })
  const optional = JSON.stringify({
    ...(config === null ? {} : { config }),
    ...(trace === null ? {} : { trace }),
    ...(prev === null ? {} : { prev }),
  })
  const rest = optional === '{}' ? '' : `,${optional.slice(1, -1)}`
  return `${envelope.slice(0, -1)},"data":${data}${rest}}\n`
}

async function* readLogPages(place: LogPlace): AsyncGenerator<string> {
  let afterSeq = 0
  for (;;) {
    const rows = await readLogTexts(place, { afterSeq, limit: PAGE })
    if (rows.length > 0) yield rows.map((row) => formatLogLine(place.sessionId, row)).join('')
    if (rows.length < PAGE) return
    afterSeq = rows.at(-1)?.seq ?? afterSeq
  }
}

export interface LogLines {
  /** Events as runtimes send them, one line of JSON each. */
  readonly lines: readonly string[]
  /** Sequence number of the last line; null: no event follows yet. */
  readonly next: number | null
}

/** Rejects as `exportSession`. */
export async function loadLogLines(
  { projectId }: InProject,
  sessionId: string,
  { afterSeq, limit }: { readonly afterSeq: number; readonly limit: number },
): Promise<LogLines> {
  const place = await requireLogPlace(projectId, sessionId)
  const rows = await readLogTexts(place, { afterSeq, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? (page.at(-1)?.seq ?? null) : null
  return { lines: page.map((row) => formatLogLine(sessionId, row).trimEnd()), next }
}

/** Rejects with `not_found` before the first page when the project has no such session. */
export async function exportSession(
  scope: ProjectScope,
  sessionId: string,
): Promise<AsyncGenerator<string>> {
  return readLogPages(await requireLogPlace(scope.projectId, sessionId))
}

const EVENT_HEAD = [
  ...['seq', 'at', 'received_at', 'type', 'verdict', 'subject', 'summary', 'config'],
  ...['trace', 'hash', 'data'],
] as const

function eventCells(row: LogRow): Cells<(typeof EVENT_HEAD)[number]> {
  const { seq, at, receivedAt, type, verdict, subject, summary, config, trace, hash, data } = row
  return {
    seq,
    at: instant(at),
    received_at: instant(receivedAt),
    type,
    verdict,
    subject,
    summary,
    config,
    trace,
    hash: `sha256:${hash}`,
    data: JSON.stringify(data),
  }
}

/** The events as CSV, for spreadsheets. Rejects as `exportSession`. */
export async function exportSessionTable(
  scope: ProjectScope,
  sessionId: string,
): Promise<AsyncGenerator<string>> {
  const place = await requireLogPlace(scope.projectId, sessionId)
  return writeListFile('csv', {
    head: EVENT_HEAD,
    toCells: eventCells,
    pageAfter: async (cursor) => {
      const range = { from: Number(cursor ?? 0) + 1, to: 2_147_483_647, limit: EXPORT_PAGE }
      const rows = await readLog(place, range)
      const last = rows.length < EXPORT_PAGE ? undefined : rows.at(-1)
      return { rows, nextCursor: last === undefined ? null : String(last.seq) }
    },
  })
}

const ANNOTATION_HEAD = ['annotation', 'seq', 'author', 'at', 'edited_at', 'text'] as const

/** Annotations as JSON lines. Rejects with `not_found` when the project has no such session. */
export async function exportAnnotations(
  scope: ProjectScope,
  sessionId: string,
): Promise<AsyncGenerator<string>> {
  const annotations = await listSessionNotes(scope, sessionId)
  return writeListFile('jsonl', {
    head: ANNOTATION_HEAD,
    toCells: ({ id, seq, author, at, editedAt, text }) => ({
      annotation: id,
      seq,
      author,
      at: instant(at),
      edited_at: instant(editedAt),
      text,
    }),
    pageAfter: async () => ({ rows: annotations, nextCursor: null }),
  })
}
