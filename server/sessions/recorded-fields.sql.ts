// Filter fields that denied calls and stops share. They use the columns session_id and config_digest; `$1` is the project.
import 'server-only'
import { IMPORTED_SESSION_START } from '@signalbox/wire'

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

/** Number of the deciding version; a digest also determines its prompt. */
export const VERSION_OF_DIGEST = `(SELECT max(v.number) FROM config_versions v
  WHERE v.project_id = $1 AND v.digest = config_digest)`
