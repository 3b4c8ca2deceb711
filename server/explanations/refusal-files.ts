// The lists of stops and of denied calls as files, with the filter that the page has.
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import {
  type Cells,
  EXPORT_PAGE,
  fileOfList,
  instant,
  type ListFormat,
} from '@/server/platform/list-file.ts'
import { placeOf } from '@/server/platform/sql/keyset.ts'
import { type DenialFacts, type DenialFilter, listDenials } from './denial-list.sql.ts'
import { listStops, type StopFacts, type StopFilter } from './stop-list.sql.ts'

const STOP_HEAD = [
  ...['stop', 'at', 'environment', 'prompt', 'session', 'seq', 'attempt', 'via'],
  ...['verdict', 'bypass', 'code', 'reason'],
] as const

function stopCells(stop: StopFacts): Cells<(typeof STOP_HEAD)[number]> {
  const { id, at, environment, ns, key, sessionId, seq, attempt } = stop
  const { via, verdict, bypass, code, reason } = stop
  return {
    ...{ stop: id, at: instant(at), environment, prompt: `${ns}/${key}`, session: sessionId, seq },
    ...{ attempt, via, verdict, bypass, code, reason },
  }
}

const pageOf = (cursor: string | null) => ({
  after: cursor === null ? null : placeOf(cursor),
  limit: EXPORT_PAGE,
})

export function exportStops(
  { projectId }: ProjectScope,
  filter: StopFilter,
  format: ListFormat,
): AsyncGenerator<string> {
  return fileOfList(format, {
    head: STOP_HEAD,
    cellsOf: stopCells,
    pageAfter: async (cursor) => {
      const { stops, nextCursor } = await listStops(projectId, filter, pageOf(cursor))
      return { rows: stops, next: nextCursor }
    },
  })
}

const DENIAL_HEAD = [
  ...['decision', 'at', 'environment', 'prompt', 'session', 'seq', 'tool', 'verdict'],
  ...['rule', 'code', 'reason'],
] as const

function denialCells(denial: DenialFacts): Cells<(typeof DENIAL_HEAD)[number]> {
  const { id, at, environment, ns, key, sessionId, seq, tool, decision } = denial
  const { rule, code, reason } = denial
  return {
    ...{ decision: id, at: instant(at), environment, prompt: `${ns}/${key}`, session: sessionId },
    ...{ seq, tool, verdict: decision, rule: rule === '' ? null : rule, code, reason },
  }
}

export function exportDenials(
  { projectId }: ProjectScope,
  filter: DenialFilter,
  format: ListFormat,
): AsyncGenerator<string> {
  return fileOfList(format, {
    head: DENIAL_HEAD,
    cellsOf: denialCells,
    pageAfter: async (cursor) => {
      const { denials, nextCursor } = await listDenials(projectId, filter, pageOf(cursor))
      return { rows: denials, next: nextCursor }
    },
  })
}
