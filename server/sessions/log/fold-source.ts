// The browser folds with the same core as this process (specs/time-travel.md), so the server computes nothing that the browser can.
import { createHash } from 'node:crypto'
import type { CompiledConfig } from '@signalbox/core'
import { foldedPart } from '@signalbox/core/analysis'
import { snapshotState } from '@signalbox/core/snapshot'
import { SNAPSHOT_FORM } from '@/server/ingest/batch/fold.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { requireLogPlace } from './log-place.ts'
import { toLoggedEvent } from './logged-event.ts'
import { type FoldStart, findFoldStart, foldTo } from './session-fold.ts'
import { type LogPlace, readFoldPage, readStoredState } from './session-log.sql.ts'

export interface FoldAt {
  /** Lower than requested if the contiguous events end earlier. */
  readonly seq: number
  /** Digest of the version in force; null: it is not known here. */
  readonly digest: string | null
  readonly state: string
  readonly customTypes: readonly string[]
  /** The harness's own limit on blocked stops; null: none known. */
  readonly harnessMaxBlocks: number | null
}

/** One event as a fold reads it; a tuple, because keys would double the size. */
export type FoldEntry = readonly [seq: number, at: number, type: string, data: string | null]

export interface FoldPage {
  /** Ascending, without gaps. */
  readonly events: readonly FoldEntry[]
  /** Sequence number of the last event without a gap before it; later events cannot be folded yet. */
  readonly contiguousSeq: number
}

async function placed(
  { projectId }: ProjectScope,
  sessionId: string,
): Promise<{ readonly place: LogPlace; readonly start: FoldStart }> {
  const place = await requireLogPlace(projectId, sessionId)
  return { place, start: await findFoldStart(projectId, place) }
}

/** The state after event `seq`. Rejects with `not_found` for an unknown session, or when its events were removed. */
export async function foldAt(
  scope: ProjectScope,
  { sessionId, seq }: { readonly sessionId: string; readonly seq: number },
): Promise<FoldAt> {
  const { place, start } = await placed(scope, sessionId)
  const { customTypes, harnessMaxBlocks } = start
  const at = (await storedAt(place, start, seq)) ?? (await computedAt(place, start, seq))
  return { ...at, customTypes, harnessMaxBlocks }
}

type StateText = Pick<FoldAt, 'seq' | 'digest' | 'state'>

/** State that ingestion stored after exactly this event; null: none, or its version is not known here. */
async function storedAt(place: LogPlace, start: FoldStart, seq: number): Promise<StateText | null> {
  const stored = await readStoredState(place, { seq, form: SNAPSHOT_FORM })
  if (stored === null) return null
  const { digest, state } = stored
  const isKnown =
    digest === start.digest ||
    (digest !== null && start.digest !== null && (await start.find(digest)) !== null)
  return isKnown ? { seq, digest, state } : null
}

async function computedAt(place: LogPlace, start: FoldStart, seq: number): Promise<StateText> {
  const { digest, state } = await foldTo(place, start, seq)
  return { seq: state.seq, digest, state: JSON.stringify(snapshotState(state)) }
}

/** Events after `afterSeq` up to `toSeq`; fewer when the page is full or the contiguous events end. Rejects like `foldAt`. */
export async function foldEvents(
  { projectId }: ProjectScope,
  asked: { readonly sessionId: string; readonly afterSeq: number; readonly toSeq: number },
): Promise<FoldPage> {
  const place = await requireLogPlace(projectId, asked.sessionId)
  const to = Math.min(asked.toSeq, place.contiguousSeq)
  const rows = await readFoldPage(place, { after: asked.afterSeq, to })
  const events = rows.map((row): FoldEntry => {
    const data = foldedPart(toLoggedEvent(place.sessionId, row))
    return [row.seq, row.at, row.type, data === null ? null : JSON.stringify(data)]
  })
  return { events, contiguousSeq: place.contiguousSeq }
}

/** JSON text of a version's document; null: the project has no such version, or this build cannot evaluate it. */
export async function foldConfig(
  scope: ProjectScope,
  { sessionId, digest }: { readonly sessionId: string; readonly digest: string },
): Promise<string | null> {
  const { start } = await placed(scope, sessionId)
  const config: CompiledConfig | null = await start.find(digest)
  return config === null ? null : JSON.stringify(config.document)
}

export async function stateDigest(
  scope: ProjectScope,
  { sessionId, seq }: { readonly sessionId: string; readonly seq: number },
): Promise<{ readonly seq: number; readonly digest: string }> {
  const { place, start } = await placed(scope, sessionId)
  const folded = await computedAt(place, start, seq)
  if (folded.seq !== seq) {
    throw new ServiceError('not_found', `Some events before #${seq} are missing.`)
  }
  const hex = createHash('sha256').update(folded.state).digest('hex')
  return { seq, digest: `sha256:${hex}` }
}
