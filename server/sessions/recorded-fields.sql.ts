// Fields of the filter text that denied calls and stops have in common. Over columns session_id and config_digest; `$1` is the project.
import 'server-only'
import { IMPORTED_SESSION_START } from '@signalbox/wire'

/** Columns of the session: its id, and the name and id of the runtime that ran it. */
export const OF_SESSION = {
  session: 'session_id',
  runtime: `(SELECT coalesce(r.name, '') || ' ' || coalesce(o.runtime_id, '')
    FROM sessions o LEFT JOIN runtimes r ON r.id = o.runtime_id AND r.project_id = o.project_id
    WHERE o.id = session_id AND o.project_id = $1)`,
} as const

/** Matches imported sessions: nothing was enforced in them, and no figure counts them. `column`: id of the session. */
export const importedTerm =
  (column: string) =>
  (word: string): string =>
    `${column} ${word === 'yes' ? '' : 'NOT '}LIKE '${IMPORTED_SESSION_START}%'`

/** Number of the version that decided; a digest also determines its prompt. */
export const VERSION_OF_DIGEST = `(SELECT max(v.number) FROM config_versions v
  WHERE v.project_id = $1 AND v.digest = config_digest)`
