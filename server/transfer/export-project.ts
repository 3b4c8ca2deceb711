// Everything that users author, and on request the pinned cases with the logs that they need; no secrets, users, drafts or other events.
// Written config by config and page by page, so that a large project costs no memory.

import { parsePiece, readPinnedPage } from '@/server/backtests/replay-log.sql.ts'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import { findProjectSlug } from '@/server/platform/auth/projects.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { type ExportedCases, type ExportedRow, exportedConfigAfter } from './export-rows.sql.ts'

const EVENT_PAGE = 1_000

/** Pieces of the JSON text, formatted for readable diffs. */
export async function* exportProject(
  scope: ConfigReader,
  cases: ExportedCases,
): AsyncGenerator<string> {
  const environments = (await listEnvironments(scope.projectId)).map(
    ({ name, position, requiresNote, requiresTypedName }) => ({
      name,
      position,
      requires_note: requiresNote,
      requires_confirm: requiresTypedName,
    }),
  )
  const head = {
    export_version: 1,
    project: await findProjectSlug(scope.projectId),
    exported_at: Date.now(),
    environments,
  }
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "configs": [`
  const lastSeqBySession = new Map<string, number>()
  let last: ExportedRow | null = null
  for (;;) {
    const config = await exportedConfigAfter(scope, last, cases)
    if (config === null) break
    const text = JSON.stringify(config, null, 2).replaceAll('\n', '\n    ')
    yield `${last === null ? '' : ','}\n    ${text}`
    for (const { session, seq } of config.cases ?? []) {
      lastSeqBySession.set(session, Math.max(seq, lastSeqBySession.get(session) ?? 0))
    }
    last = config
  }
  yield last === null ? ']' : '\n  ]'
  if (cases !== 'none') yield* exportLogs(scope.projectId, lastSeqBySession)
  yield '\n}\n'
}

async function* exportLogs(
  projectId: AuthorizedProjectId,
  lastSeqBySession: ReadonlyMap<string, number>,
): AsyncGenerator<string> {
  yield ',\n  "logs": ['
  let count = 0
  for (const [session, upTo] of lastSeqBySession) {
    yield `${count++ === 0 ? '' : ','}\n    {\n      "session": "${session}",\n      "events": [`
    let after = 0
    for (let isMore = true; isMore; ) {
      const pieces = await readPinnedPage(projectId, session, { after, upTo, limit: EVENT_PAGE })
      const lines = pieces.flatMap(parsePiece).map(({ seq, at, type, data }) => {
        return `\n        ${JSON.stringify({ seq, at, type, data })}`
      })
      isMore = lines.length === EVENT_PAGE
      // An import would refuse a file without the log, perhaps when the original no longer exists.
      if (lines.length === 0 && after === 0) throw new Error(`${session} was unpinned meanwhile.`)
      yield `${after === 0 || lines.length === 0 ? '' : ','}${lines.join(',')}`
      after = pieces.at(-1)?.last ?? upTo
    }
    yield '\n      ]\n    }'
  }
  yield count === 0 ? ']' : '\n  ]'
}
