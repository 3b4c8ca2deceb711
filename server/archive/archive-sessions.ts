// Writes sessions to the archive, checks its files, and keeps them free of what was deleted. Each step can be interrupted and repeated: the
// file is written before the session points to it, checked before the rows go, and removed after nothing points to it.

import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { logEachMinute } from '@/server/platform/observability/log-each-minute.ts'
import {
  type ArchivedEvent,
  archiveUnchanged,
  beginSegment,
  deleteSegment,
  forgetUnchecked,
  listOutdated,
  listParts,
  listSegments,
  listUnchecked,
  markChecked,
  moveParts,
  type OldSession,
  type Part,
  type PlacedPart,
  readStoredEvents,
  type Segment,
  settleSegment,
} from './archive.sql.ts'
import { openArchive } from './open-archive.ts'
import { digestBytes, nameSegment, pack } from './segment.ts'

const PAGE = 1_000
/** A segment has this many bytes at most, unless a single session has more. */
const SEGMENT_BYTES = 16 * 1_024 * 1_024
const SEGMENTS = 100

const logDamaged = logEachMinute('error', 'a new file of the archive is damaged')
const logUnswept = logEachMinute(
  'error',
  'a damaged file of the archive keeps what was deleted from it',
)

interface PackedSession {
  readonly session: OldSession
  readonly bytes: Buffer
  readonly events: number
  readonly semantics: number | null
}

/** Semantics in the data of a session's first event; null: it names none. */
function readSemantics({ seq, data }: ArchivedEvent): number | null {
  const { semantics } = seq === 1 ? Object(JSON.parse(data)) : {}
  return typeof semantics === 'number' ? semantics : null
}

/** Null: some of its rows are not there, because another run has archived it since it was found. */
async function packSession(
  projectId: AuthorizedProjectId,
  session: OldSession,
): Promise<PackedSession | null> {
  let events = 0
  let semantics: number | null = null
  let last = 0
  async function* pages() {
    for (let after = 0; ; ) {
      const page = await readStoredEvents(projectId, session, { after, limit: PAGE })
      const [first] = page
      if (first !== undefined) {
        if (events === 0) semantics = readSemantics(first)
        events += page.length
        last = page.at(-1)?.seq ?? last
        yield page
      }
      if (page.length < PAGE) return
      after = last
    }
  }
  const bytes = await pack(pages())
  return last === session.maxSeq ? { session, bytes, events, semantics } : null
}

/** Returns the number of sessions that are archived now: those that did not change while they were written. */
async function writeSegment(
  projectId: AuthorizedProjectId,
  packed: readonly PackedSession[],
): Promise<number> {
  if (packed.length === 0) return 0
  const content = Buffer.concat(packed.map(({ bytes }) => bytes))
  const digest = digestBytes(content)
  let start = 0
  const parts = packed.map(({ session, bytes, events, semantics }): Part => {
    const part = { start, bytes: bytes.length, digest: digestBytes(bytes), events, semantics }
    start += bytes.length
    const { id: sessionId, maxSeq, receivedAt } = session
    return { sessionId, maxSeq, receivedAt, ...part }
  })
  await beginSegment(projectId, digest, parts.length)
  await openArchive().write(nameSegment({ projectId, digest }), content)
  return await settleSegment(projectId, digest, parts)
}

/** Their rows stay until the file was checked. Returns the number of sessions that are archived now. */
export async function archiveSessions(
  projectId: AuthorizedProjectId,
  sessions: readonly OldSession[],
  signal: AbortSignal,
): Promise<number> {
  const unchanged = new Set(
    await archiveUnchanged(
      projectId,
      sessions.map(({ id }) => id),
    ),
  )
  let archived = unchanged.size
  let packed: PackedSession[] = []
  let size = 0
  for (const session of sessions) {
    if (unchanged.has(session.id)) continue
    signal.throwIfAborted()
    if (size >= SEGMENT_BYTES || packed.some(({ session: { day } }) => day !== session.day)) {
      archived += await writeSegment(projectId, packed)
      packed = []
      size = 0
    }
    const next = await packSession(projectId, session)
    if (next === null) continue
    packed.push(next)
    size += next.bytes.length
  }
  return archived + (await writeSegment(projectId, packed))
}

/** Null: the file is missing, or its content has another digest than its name. */
async function readSegment(segment: Segment): Promise<Buffer | null> {
  const content = await openArchive().read(nameSegment(segment))
  return content !== null && digestBytes(content) === segment.digest ? content : null
}

/** Reads files that were written an hour ago or more. The sessions of a damaged file, whose rows are all there, are archived again. */
export async function checkSegments(signal: AbortSignal): Promise<void> {
  for (;;) {
    const segments = await listUnchecked(SEGMENTS)
    if (segments.length === 0) return
    for (const segment of segments) {
      signal.throwIfAborted()
      if ((await readSegment(segment)) !== null) {
        await markChecked(segment)
        continue
      }
      logDamaged({ file: nameSegment(segment) })
      await forgetUnchecked(segment)
      await removeSegment(segment)
    }
  }
}

async function removeSegment(segment: Segment): Promise<void> {
  await openArchive().remove(nameSegment(segment))
  await deleteSegment(segment)
}

export async function sweepSegments(signal: AbortSignal): Promise<void> {
  for (let swept = 1; swept > 0; ) {
    swept = 0
    for (const segment of await listOutdated(SEGMENTS)) {
      signal.throwIfAborted()
      const parts = await listParts(segment)
      if (parts.length > 0 && !(await rewriteSegment(segment, parts))) {
        logUnswept({ file: nameSegment(segment) })
        continue
      }
      await removeSegment(segment)
      swept += 1
    }
  }
}

/** Writes the parts to a new file. False: the old one is damaged, or the new one could not be read again; nothing was changed. */
async function rewriteSegment(segment: Segment, parts: readonly PlacedPart[]): Promise<boolean> {
  const old = await readSegment(segment)
  if (old === null) return false
  const pieces = parts.map(({ start, bytes }) => old.subarray(start, start + bytes))
  const content = Buffer.concat(pieces)
  const { projectId } = segment
  const digest = digestBytes(content)
  await beginSegment(projectId, digest, parts.length)
  await openArchive().write(nameSegment({ projectId, digest }), content)
  if ((await readSegment({ projectId, digest })) === null) return false
  let start = 0
  const moved = parts.map((part) => {
    const at = start
    start += part.bytes
    return { ...part, start: at }
  })
  await moveParts(projectId, { from: segment.digest, to: digest }, moved)
  return true
}

export async function removeArchive(projectId: AuthorizedProjectId): Promise<void> {
  for (const segment of await listSegments(projectId)) await removeSegment(segment)
}
