import { findConfigById, type PromptName } from '@/server/configs/configs.sql.ts'
import { findLiveVersion } from '@/server/configs/versions.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { PlaceRight } from '@/server/platform/auth/place-rights.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, reader, type Tx } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { listCustomTypes } from '@/server/runtimes/runtimes.sql.ts'
import {
  type ApprovalStanding,
  approvalSentence,
  computeStanding,
  isApproved,
} from './release-approval-standing.ts'
import {
  deleteRequest,
  findRequest,
  type ListedRequest,
  listApprovals,
  listRequests,
  saveApproval,
  saveRequest,
} from './release-approvals.sql.ts'
import { lockPlace, type Place, toPointerPlace } from './release-place.ts'
import { releaseRights, requireRelease } from './release-right.ts'
import { readContent, readDraftNow, type Subject } from './release-subject.ts'
import type { ListedSchedule } from './schedule-list.sql.ts'

export interface ApprovalPlaceInput extends PromptName {
  readonly environment: string
}

interface AuditedApproval {
  readonly place: Place
  readonly action:
    | 'approval.requested'
    | 'approval.withdrawn'
    | 'approval.given'
    | 'approval.refused'
  readonly digest: string
  readonly note: string | null
}

async function record(tx: Tx, scope: ProjectScope, told: AuditedApproval): Promise<void> {
  const { projectId } = scope
  const { place, action, digest, note } = told
  const { config, environment, live } = place
  await recordAudit(tx, {
    projectId,
    ...toAuditActor(scope),
    action,
    target: config.id,
    after: {
      config: `${config.ns}/${config.key}`,
      environment: environment.name,
      digest,
      live_version: live?.number ?? null,
      note,
    },
  })
  await notify(tx, { project: projectId, kind: 'config', id: config.id })
}

function trimmed(note: string | null): string | null {
  const text = (note ?? '').trim()
  return text === '' ? null : text
}

export type RequestResult = { readonly ok: true } | { readonly ok: false; readonly message: string }

/** Asks others to approve this content for the environment. Replaces an earlier request for the config there. */
export async function requestApproval(
  scope: ProjectScope,
  input: ApprovalPlaceInput & { readonly subject: Subject; readonly note: string | null },
): Promise<RequestResult> {
  const { projectId, userId } = scope
  const { subject } = input
  const customTypes = await listCustomTypes(scope)
  return await inTransaction(async (tx) => {
    const place = await lockPlace(tx, scope, input)
    const { config, live } = place
    const read = await readContent(tx, { projectId, config, customTypes }, subject)
    if (!read.ok) return { ok: false, message: read.message }
    const { digest, text, editedBy } = read.content
    const note = trimmed(input.note)
    await saveRequest(tx, {
      ...toPointerPlace(place),
      digest,
      text,
      note,
      liveVersion: live?.number ?? null,
      draftId: subject.kind === 'draft' ? subject.draftId : null,
      version: subject.kind === 'version' ? subject.version : null,
      editedBy,
      requestedBy: userId,
    })
    await record(tx, scope, { place, action: 'approval.requested', digest, note })
    return { ok: true }
  })
}

/** Withdraws the request; approvals stay recorded. Rejects with `not_found` when there is none. */
export async function withdrawRequest(
  scope: ProjectScope,
  input: ApprovalPlaceInput,
): Promise<void> {
  await inTransaction(async (tx) => {
    const place = await lockPlace(tx, scope, input)
    const where = toPointerPlace(place)
    const request = await findRequest(where, tx)
    if (request === null || !(await deleteRequest(tx, where))) {
      throw new ServiceError(
        'not_found',
        'There is no request for approval to withdraw. It was withdrawn, or the release was made.',
      )
    }
    await record(tx, scope, {
      place,
      action: 'approval.withdrawn',
      digest: request.digest,
      note: null,
    })
  })
}

/**
 * Approves or refuses exactly the content that was shown. Rejects with `conflict` when the request is now for other content or another
 * version is live than the one shown, with `forbidden` for the last editor, and with `invalid` for a refusal without a reason.
 */
export async function decideApproval(
  scope: ProjectScope,
  input: ApprovalPlaceInput & {
    readonly digest: string
    readonly expectedLive: number | null
    readonly decision: 'approved' | 'refused'
    readonly note: string | null
  },
): Promise<void> {
  const { userId } = scope
  const { digest, decision, expectedLive } = input
  await requireRelease(scope, input.environment)
  const note = trimmed(input.note)
  if (decision === 'refused' && note === null) {
    throw new ServiceError(
      'invalid',
      'Write why you refuse, so that the author can fix it.',
      'note',
    )
  }
  await inTransaction(async (tx) => {
    const place = await lockPlace(tx, scope, input)
    const { environment, live } = place
    const where = toPointerPlace(place)
    const request = await findRequest(where, tx)
    if (request?.digest !== digest) {
      throw new ServiceError('conflict', 'Another text is up for approval now. Review that one.')
    }
    const liveVersion = live?.number ?? null
    if (liveVersion !== expectedLive) {
      const runs = liveVersion === null ? 'nothing' : `v${liveVersion}`
      const message = `${environment.name} runs ${runs} now, so the difference has changed. Review it again.`
      throw new ServiceError('conflict', message)
    }
    if (request.editedBy === userId) {
      const message = 'You edited this version last, so another user must approve it.'
      throw new ServiceError('forbidden', message)
    }
    await saveApproval(tx, {
      ...where,
      digest,
      personId: userId,
      decision,
      liveVersion,
      note,
    })
    const action = decision === 'approved' ? 'approval.given' : 'approval.refused'
    await record(tx, scope, { place, action, digest, note })
  })
}

/** `approved`: enough users approved, or the environment requires none now. It stays until the release is made. */
type RequestState = 'waiting' | 'refused' | 'approved'

export interface RequestedRelease
  extends Omit<ListedRequest, 'projectId' | 'configId' | 'environmentId'> {
  readonly state: RequestState
  /** Planned releases of this content, also those that were refused. */
  readonly planIds: readonly string[]
  /** The planned release of this content that waits, else the oldest that was held or refused; null: there is none. */
  readonly plan: Pick<ListedSchedule, 'state' | 'dueAt'> | null
  /** The caller has the next step: the decision, the release of what was approved, or the change of what was refused. */
  readonly isYourTurn: boolean
  /** Live version of the environment, with which the text is compared; null: none. */
  readonly live: { readonly number: number; readonly text: string } | null
  readonly standing: ApprovalStanding
  readonly sentence: string
  /** False: the text was edited after the request, so an approval would be for other content. */
  readonly isCurrent: boolean
  /** Reason why the caller may not decide; null: they may. */
  readonly whyNot: string | null
}

function findState(standing: ApprovalStanding): RequestState {
  if (isApproved(standing)) return 'approved'
  return standing.refused.length > 0 ? 'refused' : 'waiting'
}

const isOf = (plan: ListedSchedule, asked: ListedRequest): boolean =>
  plan.digest === asked.digest &&
  plan.environment === asked.environment &&
  plan.ns === asked.ns &&
  plan.key === asked.key

interface Around {
  readonly plans: readonly ListedSchedule[]
  readonly rights: readonly PlaceRight[]
}

async function loadRequestedRelease(
  scope: ProjectScope,
  request: ListedRequest,
  { plans, rights }: Around,
): Promise<RequestedRelease> {
  const { projectId, configId, environmentId, ...shown } = request
  const place = { projectId, environmentId, configId }
  const [approvals, live, isCurrent] = await Promise.all([
    listApprovals(place),
    findLiveVersion(place),
    isStillCurrent(scope, request),
  ])
  const standing = computeStanding({
    required: request.requiredApprovals,
    approvals,
    digest: request.digest,
    editedBy: request.editedBy,
    liveVersion: live?.number ?? null,
    liveSince: null,
  })
  const right = rights.find(({ environment }) => environment === request.environment)
  const whyNotRelease = right?.refusal ?? null
  const whyNot = whyNotDecide(scope, { request, isCurrent, standing }) ?? whyNotRelease
  const own = plans.filter((each) => isOf(each, request))
  const plan = own.find(({ state }) => state === 'pending') ?? own[0] ?? null
  const state = findState(standing)
  const { userId } = scope
  // Anyone can follow up what a former member requested.
  const isMine = request.requestedBy === userId || request.requester === null
  const isTheirs = isMine || standing.counted.some(({ personId }) => personId === userId)
  const canRelease = whyNotRelease === null && plan?.state !== 'pending'
  return {
    ...shown,
    state,
    planIds: own.map(({ id }) => id),
    plan: plan === null ? null : { state: plan.state, dueAt: plan.dueAt },
    isYourTurn: isCurrent
      ? { waiting: whyNot === null, refused: isMine, approved: isTheirs && canRelease }[state]
      : isMine,
    live: live === null ? null : { number: live.number, text: live.text },
    standing,
    sentence: approvalSentence(standing),
    isCurrent,
    whyNot,
  }
}

function whyNotDecide(
  scope: ProjectScope,
  facts: {
    readonly request: ListedRequest
    readonly isCurrent: boolean
    readonly standing: ApprovalStanding
  },
): string | null {
  if (!facts.isCurrent) return 'The text was edited after the request.'
  if (facts.request.editedBy === scope.userId) {
    return 'You edited this version last, so another user must approve it.'
  }
  const isDone = facts.standing.counted.some(({ personId }) => personId === scope.userId)
  return isDone ? 'You approved it.' : null
}

/** A version never changes; a draft may have been edited since the request. */
async function isStillCurrent(scope: ProjectScope, request: ListedRequest): Promise<boolean> {
  if (request.draftId === null) return true
  const { projectId } = scope
  const config = await findConfigById({ projectId, id: request.configId })
  if (config === null) return false
  const customTypes = await listCustomTypes(scope)
  const read = await readDraftNow(reader(), { projectId, config, customTypes }, request.draftId)
  return read.ok && read.content.digest === request.digest
}

const dueOf = ({ plan }: RequestedRelease): number =>
  plan?.state === 'pending' ? plan.dueAt : Number.MAX_SAFE_INTEGER

/**
 * Every request of the project whose release was not made: the next planned release first, then the longest waiting. `plans`: those of
 * the project.
 */
export async function loadRequestedReleases(
  scope: ProjectScope,
  plans: readonly ListedSchedule[],
): Promise<readonly RequestedRelease[]> {
  const [requests, rights] = await Promise.all([listRequests(scope), releaseRights(scope)])
  const loaded = await Promise.all(
    requests.map((request) => loadRequestedRelease(scope, request, { plans, rights })),
  )
  return loaded.sort((a, b) => dueOf(a) - dueOf(b))
}
