// Filter fields that denied calls and stops share. They use the columns session_id and config_digest; `$1` is the project.
import 'server-only'
import { DEMO_SESSION_START, IMPORTED_SESSION_START } from '@signalbox/wire'
import type { Term } from '@/server/platform/list/filter-grammar.ts'

export const OF_SESSION = {
  session: 'session_id',
  runtime: `(SELECT coalesce(r.name, '') || ' ' || coalesce(o.runtime_id, '')
    FROM sessions o LEFT JOIN runtimes r ON r.id = o.runtime_id AND r.project_id = o.project_id
    WHERE o.id = session_id AND o.project_id = $1)`,
} as const

/** Matches imported sessions, which no figure counts because nothing was enforced in them. `column`: id of the session. */
export const importedTerm =
  (column: string) =>
  (word: string): string =>
    `${column} ${word === 'yes' ? '' : 'NOT '}LIKE '${IMPORTED_SESSION_START}%'`

const ofDemo = (column: string): string => `${column} LIKE '${DEMO_SESSION_START}%'`

/** Rows of the demo, which lists omit unless the filter names them. `column`: id of the session. */
export const demoTerm =
  (column: string) =>
  (word: string): string =>
    word === 'only' ? ofDemo(column) : 'true'

/** `also` of a list with the field `demo`. */
export const withoutDemo =
  (column: string) =>
  ({ terms = [] }: { readonly terms?: readonly Term[] | undefined }): string =>
    terms.some(({ field }) => field === 'demo') ? 'true' : `NOT (${ofDemo(column)})`

/** Number of the deciding version; a digest also determines its prompt. */
export const VERSION_OF_DIGEST = `(SELECT max(v.number) FROM config_versions v
  WHERE v.project_id = $1 AND v.digest = config_digest)`
