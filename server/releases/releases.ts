// Releases: publish a draft, promote a version, roll back to an earlier one. Each is one transaction: every gate is evaluated, and version,
// pointer, bundle, release row and audit entry appear together or not at all (specs/releases.md). Locks are taken in one order, environment
// then config, so releases happen one after another and version numbers have no gaps.

import type { PromptName } from '@/server/configs/configs.sql.ts'
import { setDraftBase } from '@/server/configs/drafts.sql.ts'
import { findNewestVersion, insertVersion, type VersionRow } from '@/server/configs/versions.sql.ts'
import type { EnvironmentRow } from '@/server/environments/environments.sql.ts'
import { type Actor, readActorId } from '@/server/platform/auth/scope.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { listCustomTypes } from '@/server/runtimes/runtimes.sql.ts'
import { type Move, makeRelease } from './make-release.ts'
import { archivedGates, contentGates, demandGates, refusalBy, whyOnlyToAll } from './place-gates.ts'
import { type OutsideFacts, outsideFacts, standingGates } from './release-gates.ts'
import type { Asking } from './release-input.ts'
import { type Refusal, type ReleaseResult, refuse } from './release-outcome.ts'
import { lockPlace, type Place, toPointerPlace } from './release-place.ts'
import { requireRelease } from './release-right.ts'
import { type Content, readContent, readDraftNow } from './release-subject.ts'
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
import { whyNotTighten } from './tightening.ts'

interface Asked extends PromptName {
  readonly environment: string
  readonly note: string | null
  /** The environment's name as typed; null: not requested. */
  readonly typedName: string | null
  /** Gates that asked and that the author acknowledged. Absent: none. */
  readonly acknowledged?: readonly Asking[]
  /** Schedule that makes the release. Absent: the caller does. */
  readonly scheduleId?: string
  /** Absent: all new sessions get the version at once. */
  readonly stage?: Stage | undefined
  /** Compares its sessions with those before, and rolls it back if they do worse. Absent: no. */
  readonly watch?: Watch | undefined
  /** Running sessions take the version at once if it is at least as strict as theirs. Absent: no. */
  readonly tighten?: boolean
  /** Idempotency key, under which a repeated request makes no second release. Absent: none. */
  readonly named?: NamedRequest | null
}

interface Ready {
  readonly place: Place
  readonly kind: ReleaseKind
  readonly content: Content
  readonly version: () => Promise<VersionRow>
}

/** `running`: read when running sessions are to be tightened; null: they are not. */
interface Facts extends OutsideFacts {
  readonly running: Running | null
}

/** Read before the transaction, whose locks do not keep runtimes and sessions from reporting. */
async function factsFor(actor: Actor, request: Asked): Promise<Facts> {
  const [facts, running] = await Promise.all([
    outsideFacts(actor, request),
    request.tighten === true ? readRunning(actor.projectId, request) : null,
  ])
  return { ...facts, running }
}

function refuseLooser({ place, content }: Ready, { running }: Facts): Refusal | null {
  const why = running === null ? null : whyNotTighten(running, content, place.live)
  return why === null ? null : refuse('looser', why)
}

async function releaseIfReady(
  tx: Tx,
  actor: Actor,
  {
    ready,
    request,
    facts,
  }: { readonly ready: Ready; readonly request: Asked; readonly facts: Facts },
): Promise<ReleaseResult> {
  const { place, kind, content } = ready
  const { environment } = place
  const demands = kind === 'rollback' ? [] : demandGates(environment)
  const { gates, approvals } = await standingGates(tx, { ...place, ...facts, content, kind })
  const refusal = refusalBy([...demands, ...gates], request) ?? refuseLooser(ready, facts)
  if (refusal !== null) return refusal
  const isApprovalSkipped =
    kind === 'rollback' && environment.requiredApprovals > 0 && environment.rollbackSkipsApproval
  const asked = gates.filter(({ state }) => state === 'ask').map(({ id }) => id)
  const move = {
    ...place,
    version: await ready.version(),
    kind,
    note: request.note,
    approvals,
    isApprovalSkipped,
    acknowledged: asked,
    scheduleId: request.scheduleId ?? null,
    named: request.named ?? null,
    tighten: request.tighten ?? false,
  }
  const { stage, watch } = request
  const { live: base } = place
  const whyToAll = whyOnlyToAll(place)
  if (whyToAll !== null && (stage !== undefined || watch !== undefined)) {
    return refuse('nothing_before', `${whyToAll}. Release it to every new session.`)
  }
  if (stage !== undefined && base !== null) {
    return await stageMove(tx, actor, { move, base, stage })
  }
  const result = await makeRelease(tx, actor, move)
  if (result.ok && watch !== undefined && base !== null)
    await beginWatch(tx, actor, { ...move, base, watch })
  return result
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
  const where = toPointerPlace({ environment, config })
  const running = await findRunningRollout(tx, where)
  if (running?.kind === 'staged' && running.versionId === version.id) {
    const message = `v${version.number} gets ${running.share / 10}% of new sessions in ${environment.name} already. Change its share, or stop it.`
    return refuse('unchanged', message)
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

/**
 * Creates a version of the draft (or uses the one with the same content) and releases it. Of two concurrent publishes of one draft, the
 * second finds its content live and is refused as `unchanged`.
 */
export async function publishDraft(actor: Actor, request: PublishRequest): Promise<ReleaseResult> {
  const { projectId } = actor
  await requireRelease(actor, request.environment)
  const customTypes = await listCustomTypes(actor)
  const facts = await factsFor(actor, request)
  return await inTransaction(async (tx) => {
    const place = await lockPlace(tx, actor, request)
    const earlier = await earlierAnswer(tx, actor, { place, named: request.named })
    if (earlier !== null) return earlier
    const { config } = place
    const archived = refusalBy(archivedGates(place), request)
    if (archived !== null) return archived
    const read = await readSeen(tx, { projectId, config, customTypes }, request)
    if (!read.ok) return refuse(read.reason, read.message, read.problems)
    const { content } = read
    const refusal = refusalBy(contentGates(place, content, 'publish'), request)
    if (refusal !== null) return refusal
    const version = () => createReleaseVersion(tx, actor, { place, content, note: request.note })
    const ready: Ready = { place, kind: 'publish', content, version }
    return await releaseIfReady(tx, actor, { ready, request, facts })
  })
}

async function createReleaseVersion(
  tx: Tx,
  actor: Actor,
  made: { readonly place: Place; readonly content: Content; readonly note: string | null },
): Promise<VersionRow> {
  const { place, content, note } = made
  const { digest, text, value: document, editedBy, draft } = content
  const { projectId, configId } = toPointerPlace(place)
  const version =
    (await findNewestVersion({ configId, digest }, tx)) ??
    (await insertVersion(tx, {
      projectId,
      configId,
      digest,
      text,
      document,
      note,
      editedBy,
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
  /** Live version that the user saw; null: none. */
  readonly expectedLive: number | null
}

async function moveTo(
  actor: Actor,
  request: MoveRequest,
  kind: 'promote' | 'rollback',
): Promise<ReleaseResult> {
  const { projectId } = actor
  await requireRelease(actor, request.environment)
  const facts = await factsFor(actor, request)
  return await inTransaction(async (tx) => {
    const place = await lockPlace(tx, actor, request)
    const earlier = await earlierAnswer(tx, actor, { place, named: request.named })
    if (earlier !== null) return earlier
    const moved = refusalBy(archivedGates(place), request) ?? refuseMoved(place, request)
    if (moved !== null) return moved
    const { environment, config } = place
    const subject = { kind: 'version', version: request.version } as const
    const read = await readContent(tx, { projectId, config, customTypes: [] }, subject)
    if (!read.ok) return refuse(read.reason, read.message, read.problems)
    const { content } = read
    const { version } = content
    if (version === null) throw new ServiceError('not_found', 'There is no such version.')
    const unchanged = refusalBy(contentGates(place, content, kind), request)
    if (unchanged !== null) return unchanged
    if (kind === 'rollback') await requireReleasedBefore(tx, environment, version)
    const ready: Ready = { place, kind, content, version: async () => version }
    return await releaseIfReady(tx, actor, { ready, request, facts })
  })
}

/** Refuses when the place has changed since the user saw it. */
function refuseMoved({ live }: Place, request: MoveRequest): Refusal | null {
  const now = live?.number ?? null
  if (now === request.expectedLive) return null
  const runs = now === null ? 'nothing' : `v${now}`
  const message = `${request.environment} runs ${runs} now; another user changed it meanwhile. Review the release again.`
  return refuse('moved', message)
}

/** A rollback needs no confirmation, so it must not release anything new. */
async function requireReleasedBefore(
  tx: Tx,
  environment: EnvironmentRow,
  version: VersionRow,
): Promise<void> {
  const { projectId, id: environmentId } = environment
  if (await wasReleased(tx, { projectId, environmentId, versionId: version.id })) return
  throw new ServiceError(
    'invalid',
    `v${version.number} never ran in ${environment.name}, so this is not a rollback. Promote it instead.`,
  )
}

/** Releases an existing version to another environment, under that environment's demands. */
export function promoteVersion(actor: Actor, request: MoveRequest): Promise<ReleaseResult> {
  return moveTo(actor, request, 'promote')
}

/**
 * Releases a version that was live in the environment before. Needs no note and no typed name, and approvals only if the environment says
 * so.
 */
export function rollBack(
  actor: Actor,
  request: Omit<MoveRequest, 'typedName' | 'stage' | 'watch'>,
): Promise<ReleaseResult> {
  return moveTo(actor, { ...request, typedName: null }, 'rollback')
}
