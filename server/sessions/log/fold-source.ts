// The browser folds with the same core as this process (specs/time-travel.md), so the server computes nothing that the browser can.
import { createHash } from 'node:crypto'
import type { CompiledConfig } from '@signalbox/core'
import { conditionSettler, foldedPart } from '@signalbox/core/analysis'
import { snapshotState } from '@signalbox/core/snapshot'
import { SNAPSHOT_FORM } from '@/server/ingest/batch/fold.ts'
import { type ConditionValue, recordConditions } from '@/server/ingest/recorded-conditions.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { requireLogPlace } from './log-place.ts'
import { toLoggedEvent } from './logged-event.ts'
import { type FoldStart, findFoldStart, foldTo, listConditionValues } from './session-fold.ts'
import { type LogPlace, readFoldPage, readStoredState } from './session-log.sql.ts'

export interface FoldAt {
  /** Lower than requested if the contiguous events end earlier. */
  readonly seq: number
  /** Digest of the version in force; null: it is not known here. */
  readonly digest: string | null
  readonly state: string
  /** Values of the checker's conditions at this state. Empty: none, or not requested. */
  readonly conditions: readonly ConditionValue[]
  readonly customTypes: readonly string[]
  /** The harness's own limit on blocked stops; null: none known. */
  readonly harnessMaxBlocks: number | null
  /** Events after the requested one. One answer, because what a second request costs is most of its time. */
  readonly page: FoldPage
}

/**
 * One event as a fold reads it; a tuple, because keys would double the size. `conditions`: values of those that the event asks for, then of
 * the checker's after it. null: none, or not requested.
 */
export type FoldEntry = readonly [
  seq: number,
  at: number,
  type: string,
  data: string | null,
  conditions: readonly ConditionValue[] | null,
]

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

interface AskedEvents {
  readonly toSeq: number
  /** True: with the values of the events' conditions. */
  readonly conditions: boolean
}

/** The state after event `seq`, and the events that follow. Rejects with `not_found` for an unknown session, or when its events were removed. */
export async function foldAt(
  scope: ProjectScope,
  { sessionId, seq, ...asked }: AskedEvents & { readonly sessionId: string; readonly seq: number },
): Promise<FoldAt> {
  const { place, start } = await placed(scope, sessionId)
  const { customTypes, harnessMaxBlocks } = start
  const [stored, page] = await Promise.all([
    asked.conditions ? null : storedAt(place, start, seq),
    readPage(place, start, { afterSeq: seq, ...asked }),
  ])
  const at = stored ?? (await computedAt(place, start, seq))
  return { ...at, customTypes, harnessMaxBlocks, page }
}

type StateText = Pick<FoldAt, 'seq' | 'digest' | 'state' | 'conditions'>

/** State that ingestion stored after exactly this event; null: none, or its version is not known here. */
async function storedAt(place: LogPlace, start: FoldStart, seq: number): Promise<StateText | null> {
  const stored = await readStoredState(place, { seq, form: SNAPSHOT_FORM })
  if (stored === null) return null
  const { digest, state } = stored
  const isKnown =
    digest === start.digest ||
    (digest !== null && start.digest !== null && (await start.find(digest)) !== null)
  return isKnown ? { seq, digest, state, conditions: [] } : null
}

async function computedAt(place: LogPlace, start: FoldStart, seq: number): Promise<StateText> {
  const { config, digest, state } = await foldTo(place, start, seq)
  const { values: conditions } = recordConditions(() => conditionSettler(config)(state))
  return { seq: state.seq, digest, state: JSON.stringify(snapshotState(state)), conditions }
}

/** Events after `afterSeq` up to `toSeq`; fewer when the page is full or the contiguous events end. Rejects like `foldAt`. */
export async function foldEvents(
  scope: ProjectScope,
  { sessionId, ...asked }: AskedEvents & { readonly sessionId: string; readonly afterSeq: number },
): Promise<FoldPage> {
  const { place, start } = await placed(scope, sessionId)
  return await readPage(place, start, asked)
}

async function readPage(
  place: LogPlace,
  start: FoldStart,
  { afterSeq, toSeq, conditions: withConditions }: AskedEvents & { readonly afterSeq: number },
): Promise<FoldPage> {
  const to = Math.min(toSeq, place.contiguousSeq)
  const rows = await readFoldPage(place, { after: afterSeq, to })
  const logged = rows.map((row) => toLoggedEvent(place.sessionId, row))
  const values = withConditions ? await listConditionValues(place, start, logged) : []
  const events = logged.map((event, at): FoldEntry => {
    const data = foldedPart(event)
    const text = data === null ? null : JSON.stringify(data)
    const conditions = values[at] ?? []
    return [event.seq, event.at, event.type, text, conditions.length === 0 ? null : conditions]
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
