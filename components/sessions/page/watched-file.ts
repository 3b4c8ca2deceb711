// Describes the changes to a file in a session. Pure.
import type { WatchedFile } from '@/server/sessions/session-contents.sql.ts'

export type { WatchedFile }

/** The server sends one more where there are more. */
export const MOST_SHOWN_FILES = 500

/** `since`: the event to open; null: nothing happened. */
export function describeFate(file: WatchedFile): {
  readonly word: string
  readonly since: number | null
} {
  const { wasThere, isThere, seenSeq, contents } = file
  if (!wasThere && seenSeq === null) return { word: 'never there', since: null }
  if (!isThere) return { word: 'gone', since: file.lastSeq }
  const changes = contents > 1 ? `, ${contents} different contents seen` : ''
  if (!wasThere) return { word: `created${changes}`, since: seenSeq }
  return { word: contents > 1 ? `changed${changes}` : 'there, unchanged', since: null }
}
