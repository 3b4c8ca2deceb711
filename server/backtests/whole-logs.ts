// Logs of whole sessions, as texts that a worker thread parses.
import { FOLDED_EVENT_TYPES } from '@signalbox/core/analysis'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { type ReplayPlace, readReplayPage } from './replay-log.sql.ts'

export interface SentLog {
  readonly session: string
  /** Rows of JSON arrays, as `readReplayPage` writes them. */
  readonly texts: readonly string[]
}

/** A fold makes the decisions again; the recorded ones say which calls ran. */
const READ_TYPES = [...FOLDED_EVENT_TYPES, 'tool.decided', 'approval.requested', 'stop.decided']
/** Events of a read, like that of a backtest. */
const PAGE = 4_000

export async function readWholeLog(
  projectId: AuthorizedProjectId,
  place: ReplayPlace,
): Promise<SentLog> {
  const texts: string[] = []
  for (let after = 0; ; ) {
    const page = { types: READ_TYPES, after, limit: PAGE }
    const pieces = await readReplayPage(projectId, [place], page)
    texts.push(...pieces.map(({ text }) => text))
    if (pieces.reduce((sum, { count }) => sum + count, 0) < PAGE) break
    after = pieces.at(-1)?.last ?? place.upTo
  }
  return { session: place.sessionId, texts }
}

/** The first places that together have at most this many events. */
export function fitPlaces<Place extends ReplayPlace>(
  places: readonly Place[],
  mostEvents: number,
): readonly Place[] {
  let events = 0
  return places.filter(({ upTo }) => {
    events += upTo
    return events <= mostEvents
  })
}

/** In the given order, in groups that have about a page of events together. */
export async function* readWholeLogs(
  projectId: AuthorizedProjectId,
  places: readonly ReplayPlace[],
): AsyncGenerator<readonly SentLog[]> {
  for (const group of groupPlaces(places)) yield await readGroup(projectId, group)
}

function groupPlaces(places: readonly ReplayPlace[]): readonly (readonly ReplayPlace[])[] {
  const groups: ReplayPlace[][] = []
  let events = 0
  for (const place of places) {
    const group = groups.at(-1)
    if (group === undefined || events + place.upTo > PAGE) {
      groups.push([place])
      events = place.upTo
    } else {
      group.push(place)
      events += place.upTo
    }
  }
  return groups
}

async function readGroup(
  projectId: AuthorizedProjectId,
  group: readonly ReplayPlace[],
): Promise<readonly SentLog[]> {
  const [first, ...others] = group
  if (first === undefined) return []
  if (others.length === 0) return [await readWholeLog(projectId, first)]
  const page = { types: READ_TYPES, after: 0, limit: PAGE }
  const pieces = await readReplayPage(projectId, group, page)
  return group.map(({ sessionId }) => ({
    session: sessionId,
    texts: pieces.flatMap(({ session, text }) => (session === sessionId ? [text] : [])),
  }))
}
