// A release is one transaction: every gate is evaluated, and version, pointer, bundle, row and audit entry appear together or not at all
// (specs/releases.md). Locks are taken in one order, environment then config, so version numbers have no gaps.

import { hasClaims } from '@/server/claims/claims.sql.ts'
import { findMandatoryBase, holdBase } from '@/server/configs/bases.sql.ts'
import { findConfig, type PromptName } from '@/server/configs/configs.sql.ts'
import { setDraftBase } from '@/server/configs/drafts.sql.ts'
import { findNewestVersion, insertVersion, type VersionRow } from '@/server/configs/versions.sql.ts'
import type { PointerPlace } from '@/server/environments/environments.sql.ts'
import { type Actor, readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, reader, type Tx } from '@/server/platform/db/transaction.ts'
import { listCustomTypes } from '@/server/runtimes/runtimes.sql.ts'
import { type JudgedContent, judgeContent } from './claim-gates.ts'
import { type Move, makeRelease } from './make-release.ts'
import {
  archivedGates,
  comparisonGates,
  contentGates,
  demandGates,
  mandatoryGates,
  movedGates,
  refusalBy,
  shareGates,
} from './place-gates.ts'
import { type OutsideFacts, outsideFacts, standingGates } from './release-gates.ts'
import type { Asking } from './release-input.ts'
import { type ReleaseResult, refuse } from './release-outcome.ts'
import { lockPlace, type Place, toPointerPlace } from './release-place.ts'
import { requireRelease } from './release-right.ts'
import { type Content, type ReadContent, readContent, readDraftNow } from './release-subject.ts'
import { type ReleaseKind, wasReleased } from './releases.sql.ts'
import { earlierAnswer, type NamedRequest } from './repeated-request.ts'
import { type Running, readRunning } from './running-versions.sql.ts'
import {
  beginStage,
  beginWatch,
  endForRelease,
  type Stage,
  type Watch,
} from './staged-rollout-life.ts'
import { findRunningRollout } from './staged-rollouts.sql.ts'
import { tightenGates } from './tightening.ts'

interface Asked extends PromptName {
  readonly environment: string
  readonly note: string | null
  /** The environment's name as typed; null: not requested. */
  readonly typedName: string | null
  readonly acknowledged?: readonly Asking[]
  /** Schedule that makes the release. Absent: the caller does. */
  readonly scheduleId?: string
  /** Absent: all new sessions get the version at once. */
  readonly stage?: Stage | undefined
  /** Compares its sessions with those before, and rolls it back if they do worse. Absent: no. */
  readonly watch?: Watch | undefined
  readonly tighten?: boolean
  /** Idempotency key, under which a repeated request makes no second release. Absent: none. */
  readonly named?: NamedRequest | null
}

interface Wanted {
  readonly kind: ReleaseKind
  /** Live version that the user saw; null: none. Absent: the content names its own base. */
  readonly expectedLive?: number | null
  readonly read: (tx: Tx, place: Pick<Place, 'config'>) => Promise<ReadContent>
}

/** Takes seconds, so it comes before the transaction, which refuses content that changed meanwhile. */
async function judgeWanted(
  actor: Actor,
  request: PromptName,
  { kind, read }: Wanted,
): Promise<JudgedContent | null> {
  const config = kind === 'rollback' ? null : await findConfig(actor, request)
  if (config === null) return null
  const where = { projectId: actor.projectId, configId: config.id }
  if (!(await hasClaims(where))) return null
  const found = await read(reader(), { config })
  return found.ok ? await judgeContent(where, found.content) : null
}

async function release(actor: Actor, request: Asked, wanted: Wanted): Promise<ReleaseResult> {
  const { kind, expectedLive, read } = wanted
  await requireRelease(actor, request.environment)
  // Before the transaction, whose locks do not keep runtimes and sessions from reporting.
  const [facts, running, judged] = await Promise.all([
    outsideFacts(actor, request),
    request.tighten === true ? readRunning(actor.projectId, request) : null,
    judgeWanted(actor, request, wanted),
  ])
  return await inTransaction(async (tx) => {
    const place = await lockPlace(tx, actor, request)
    const earlier = await earlierAnswer(tx, actor, { place, named: request.named })
    if (earlier !== null) return earlier
    const unready = refusalBy(
      [...archivedGates(place), ...movedGates(place, expectedLive)],
      request,
    )
    if (unready !== null) return unready
    const found = await read(tx, place)
    if (!found.ok) return refuse(found.reason, found.message, found.problems)
    const { content } = found
    const mandatory = await findMandatoryBase(actor, tx)
    const unfit = refusalBy(
      [
        ...contentGates(place, content, kind),
        ...mandatoryGates(mandatory, { config: place.config, content, kind }),
      ],
      request,
    )
    if (unfit !== null) return unfit
    if (kind === 'rollback') await requireReleasedBefore(tx, place, content)
    return await releaseIfReady(tx, actor, {
      place,
      kind,
      content,
      request,
      facts: { ...facts, judged },
      running,
    })
  })
}

interface Ready {
  readonly place: Place
  readonly kind: ReleaseKind
  readonly content: Content
  readonly request: Asked
  readonly facts: OutsideFacts & { readonly judged: JudgedContent | null }
  /** Null: running sessions are not to be tightened. */
  readonly running: Running | null
}

async function releaseIfReady(
  tx: Tx,
  actor: Actor,
  { place, kind, content, request, facts, running }: Ready,
): Promise<ReleaseResult> {
  const { environment, live: base } = place
  const { stage, watch } = request
  const demands = kind === 'rollback' ? [] : demandGates(environment)
  const { gates, approvals } = await standingGates(tx, { ...place, ...facts, content, kind })
  const where = toPointerPlace(place)
  const made = content.version ?? (await findMade(tx, where.configId, content))
  const refusal = refusalBy(
    [
      ...demands,
      ...gates,
      ...(running === null ? [] : tightenGates(running, content, base)),
      ...(stage === undefined && watch === undefined ? [] : comparisonGates(place)),
      ...(stage === undefined
        ? []
        : shareGates(environment, made, await findRunningRollout(tx, where))),
    ],
    request,
  )
  if (refusal !== null) return refusal
  const isApprovalSkipped =
    kind === 'rollback' && environment.requiredApprovals > 0 && environment.rollbackSkipsApproval
  const asked = gates.filter(({ state }) => state === 'ask').map(({ id }) => id)
  const move = {
    ...place,
    version: await keepVersion(tx, actor, { where, content, made, note: request.note }),
    kind,
    note: request.note,
    approvals,
    isApprovalSkipped,
    acknowledged: asked,
    scheduleId: request.scheduleId ?? null,
    named: request.named ?? null,
    tighten: request.tighten ?? false,
  }
  if (stage !== undefined && base !== null) {
    return await stageMove(tx, actor, { move, base, stage })
  }
  const result = await makeRelease(tx, actor, move)
  if (result.ok && watch !== undefined && base !== null)
    await beginWatch(tx, actor, { ...move, base, watch })
  return result
}

/** Version with the content; null: there is none yet. */
async function findMade(
  tx: Tx,
  configId: string,
  { digest, base }: Content,
): Promise<VersionRow | null> {
  return await findNewestVersion({ configId, digest, baseVersionId: base?.versionId ?? null }, tx)
}

/** Has the same gates as a release, but the live version stays, and a share of new sessions gets the new one. */
async function stageMove(
  tx: Tx,
  actor: Actor,
  { move, base, stage }: { readonly move: Move; readonly base: VersionRow; readonly stage: Stage },
): Promise<ReleaseResult> {
  const { environment, config, version } = move
  if (move.tighten) {
    throw new ServiceError(
      'invalid',
      'A release to a share of new sessions leaves running ones alone. Tighten them when it goes to all.',
      'tighten',
    )
  }
  await endForRelease(tx, actor, { environment, config, version })
  const begun = { environment, config, version, base, note: move.note, stage }
  const { id, revision } = await beginStage(tx, actor, begun)
  const made = { id, environment: environment.name, version: version.number }
  const release = { ...made, previousVersion: base.number, revision, rolloutId: id }
  return { ok: true, release }
}

export interface PublishRequest extends Asked {
  readonly draftId: string
  /** Content that the user reviewed: a revision of the draft, or a digest if a schedule makes the release. */
  readonly revision: number | { readonly digest: string }
}

async function readSeen(
  tx: Tx,
  place: Parameters<typeof readContent>[1],
  { draftId, revision }: PublishRequest,
): ReturnType<typeof readContent> {
  if (typeof revision === 'number') {
    return await readContent(tx, place, { kind: 'draft', draftId, revision })
  }
  const read = await readDraftNow(tx, place, draftId)
  if (!read.ok || read.content.digest === revision.digest) return read
  const message = 'The draft was edited after this was scheduled, so it is not what was agreed.'
  return { ok: false, reason: 'stale', message, problems: [] }
}

/** When one draft is published twice concurrently, the second call finds its content live and is refused as `unchanged`. */
export async function publishDraft(actor: Actor, request: PublishRequest): Promise<ReleaseResult> {
  const { projectId } = actor
  const customTypes = await listCustomTypes(actor)
  return await release(actor, request, {
    kind: 'publish',
    read: (tx, { config }) => readSeen(tx, { projectId, config, customTypes }, request),
  })
}

/** `made`: version with this content; null: it is inserted. */
async function keepVersion(
  tx: Tx,
  actor: Actor,
  kept: {
    readonly where: PointerPlace
    readonly content: Content
    readonly made: VersionRow | null
    readonly note: string | null
  },
): Promise<VersionRow> {
  const { where, content, made, note } = kept
  const { digest, text, source, base, value: document, editedBy, draft } = content
  const { projectId, configId } = where
  if (made === null && base !== null && !(await holdBase(tx, base.configId))) {
    throw new ServiceError('conflict', `The config of "${base.reference}" was archived meanwhile.`)
  }
  const version =
    made ??
    (await insertVersion(tx, {
      projectId,
      configId,
      digest,
      text,
      document,
      note,
      editedBy,
      source: base === null ? null : source,
      baseVersionId: base?.versionId ?? null,
      authorId: readActorId(actor),
    }))
  if (draft !== null) {
    const { id, revision } = draft
    await setDraftBase(tx, { projectId, id, revision, baseVersion: version.number })
  }
  return version
}

export interface MoveRequest extends Asked {
  readonly version: number
  readonly expectedLive: number | null
}

function moveTo(
  actor: Actor,
  request: MoveRequest,
  kind: 'promote' | 'rollback',
): Promise<ReleaseResult> {
  const { projectId } = actor
  const { version, expectedLive } = request
  return release(actor, request, {
    kind,
    expectedLive,
    read: (tx, { config }) =>
      readContent(tx, { projectId, config, customTypes: [] }, { kind: 'version', version }),
  })
}

/** A rollback needs no confirmation, so it must not release anything new. */
async function requireReleasedBefore(
  tx: Tx,
  { environment }: Place,
  { version }: Content,
): Promise<void> {
  const { projectId, id: environmentId, name } = environment
  const wasLive =
    version !== null && (await wasReleased(tx, { projectId, environmentId, versionId: version.id }))
  if (wasLive) return
  const what = version === null ? 'This content' : `v${version.number}`
  const detail = `${what} never ran in ${name}, so this is not a rollback. Promote it instead.`
  throw new ServiceError('invalid', detail)
}

export function promoteVersion(actor: Actor, request: MoveRequest): Promise<ReleaseResult> {
  return moveTo(actor, request, 'promote')
}

/** The version was live there before. Needs no note and no typed name, and approvals only if the environment says so. */
export function rollBack(
  actor: Actor,
  request: Omit<MoveRequest, 'typedName' | 'stage' | 'watch'>,
): Promise<ReleaseResult> {
  return moveTo(actor, { ...request, typedName: null }, 'rollback')
}
