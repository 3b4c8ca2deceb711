import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { splitWords } from '@/server/platform/sql/folded-text.ts'
import { loadSavedViews, type ShownView } from '@/server/saved-views/saved-views.ts'
import { findIdPlace, type IdPlace } from './id-place.sql.ts'
import {
  filterByName,
  findAnnotations,
  findConfigs,
  findDenials,
  findRules,
  findRuntimes,
  findSessionIds,
  findStops,
  type Hit,
  MOST_HITS,
  MOST_LOOKED_THROUGH,
  searchSessions,
} from './search.sql.ts'

export type HitKind = Hit['kind']

export interface FoundKind {
  readonly kind: HitKind
  readonly hits: readonly Hit[]
  readonly isCut: boolean
  /** Number of the newest rows that were searched; null: all. */
  readonly lookedThrough: number | null
}

export interface Found {
  /** The page that the text names, if it is an id; null otherwise. */
  readonly place: IdPlace | null
  readonly kinds: readonly FoundKind[]
}

const ID = /^[a-z]{2,6}_[A-Za-z0-9_]{1,80}$/

/** Beginning of a session's id, which ids of stops, decisions and events contain, too; null: it is none. */
function sessionPrefix(text: string): string | null {
  const [, rest] = /^(?:sess|evt|stop|dec|apr)_([0-9A-Za-z]{2,26})/.exec(text) ?? []
  return rest === undefined ? null : `sess_${rest}`
}

function viewHit({ id, list, name, query, owner, shared }: ShownView): Hit {
  return { kind: 'view', id, list, name, query, owner, shared }
}

/** Words after the eighth are ignored. */
const MOST_WORDS = 8

export async function search(scope: ProjectScope, text: string): Promise<Found> {
  const { projectId } = scope
  const trimmed = text.trim()
  const words = splitWords(trimmed).slice(0, MOST_WORDS)
  if (words.length === 0) return { place: null, kinds: [] }
  const place = ID.test(trimmed) ? await findIdPlace(scope, trimmed) : null
  const prefix = words.length === 1 ? sessionPrefix(trimmed) : null
  const asked = { projectId, words }
  const [ids, ...found] = await Promise.all([
    prefix === null ? [] : findSessionIds(projectId, prefix),
    searchSessions(asked),
    findStops(asked),
    findDenials(asked),
    findConfigs(asked),
    findRules(asked),
    findRuntimes(asked),
    findAnnotations(asked),
    loadSavedViews(scope).then((views) => filterByName(views, words).map(viewHit)),
  ])
  const [sessions, ...others] = found
  const groups: readonly (readonly Hit[])[] = [
    [...ids, ...sessions.filter(({ id }) => ids.every((known) => known.id !== id))],
    ...others,
  ]
  return { place, kinds: groups.flatMap(groupHits) }
}

function groupHits(hits: readonly Hit[]): readonly FoundKind[] {
  const [first] = hits
  if (first === undefined) return []
  const isCut = hits.length > MOST_HITS
  const { kind } = first
  const lookedThrough = kind === 'stop' || kind === 'decision' ? MOST_LOOKED_THROUGH : null
  return [{ kind, hits: hits.slice(0, MOST_HITS), isCut, lookedThrough }]
}
