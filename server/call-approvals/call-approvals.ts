// A decision is bound to the request for approval, to the arguments shown, and to the time in which the runtime waits.
import { computeDigest } from '@signalbox/wire'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import { requestApprovalEvaluation } from '@/server/ingest/request-evaluation.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { findKeyOrigin } from '@/server/platform/auth/keys.sql.ts'
import {
  findPlaceRefusal,
  loadPlaceRights,
  type PlaceRight,
} from '@/server/platform/auth/place-rights.ts'
import type { InProject, KeyScope, ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { placeAfter } from '@/server/platform/sql/keyset.ts'
import { decideCall } from './call-approvals.sql.ts'
import {
  type CallApprovalFacts,
  countWaiting,
  findCallApproval,
  listSettled,
  listWaiting,
  type SettledFilter,
  type SettledPage,
  type WaitingCall,
} from './waiting-calls.sql.ts'

const PAGE = 50

export interface ShownCall extends WaitingCall {
  /** Digest of the arguments as shown, which a decision must name; null: they are missing, so the call cannot be decided. */
  readonly input: string | null
}

export interface WaitingCalls {
  readonly calls: readonly ShownCall[]
  /** May be larger than the number of `calls`. */
  readonly total: number
}

export async function loadWaitingCalls(
  { projectId }: InProject,
  environment: string | undefined,
): Promise<WaitingCalls> {
  const [calls, total] = await Promise.all([
    listWaiting(projectId, environment),
    countWaiting(projectId, environment),
  ])
  return { calls: calls.map((call) => ({ ...call, input: digestInput(call) })), total }
}

export function digestInput({ args }: Pick<CallApprovalFacts, 'args'>): string | null {
  return args === null ? null : computeDigest(args)
}

/** Rejects with `invalid` for a cursor that no page returned. */
export async function loadSettledCalls(
  { projectId }: InProject,
  filter: SettledFilter,
  cursor: string | null,
): Promise<SettledPage> {
  return await listSettled(projectId, filter, { after: placeAfter(cursor), limit: PAGE })
}

export interface CallDecision {
  readonly id: string
  readonly decision: 'approved' | 'denied'
  readonly input: string
  readonly note: string | null
}

/** Rejects with `not_found`, `forbidden`, or `conflict`: already decided, no longer waiting, or other arguments were shown. */
export async function decideWaitingCall(scope: ProjectScope, asked: CallDecision): Promise<void> {
  const call = await findCallApproval(scope.projectId, asked.id)
  if (call === null) throw new ServiceError('not_found', 'There is no such call.')
  await requireApprover(scope, call.environment)
  const { userId, userName: name } = scope
  await decide({ scope, userId, name, madeBy: null }, call, asked)
}

/** Session log and audit log name the key and its maker. Rejects with `forbidden` once a runtime has registered with the key. */
export async function answerByKey(
  scope: KeyScope<'approvals:answer'>,
  asked: CallDecision,
): Promise<CallApprovalFacts> {
  const { projectId, keyId, keyName, environment } = scope
  const origin = await findKeyOrigin({ projectId, id: keyId })
  if (origin?.hasRuntime !== false) {
    const why =
      'A runtime registered with this API key, and an agent cannot approve its own calls. Create a key for the program that answers.'
    throw new ServiceError('forbidden', why)
  }
  const call = await findCallApproval(projectId, asked.id)
  if (call === null || call.environment !== environment) {
    throw new ServiceError('not_found', `There is no call approval ${asked.id}.`)
  }
  const maker = origin.makerName ?? 'a former member'
  const name = `${keyName}, made by ${maker}`.slice(0, LONGEST_NAME)
  const madeBy = { id: origin.makerId, name: maker }
  await decide({ scope, userId: keyId, name, madeBy }, call, asked)
  return (await findCallApproval(projectId, asked.id)) ?? call
}

/** Limit of the signed answer. */
const LONGEST_NAME = 300

interface Answerer {
  readonly scope: ProjectScope | KeyScope<'approvals:answer'>
  readonly userId: string
  readonly name: string
  /** Maker of the key that answers; null: a user answers. */
  readonly madeBy: { readonly id: string; readonly name: string } | null
}

async function decide(
  { scope, userId, name, madeBy }: Answerer,
  call: CallApprovalFacts,
  asked: CallDecision,
): Promise<void> {
  const { projectId } = scope
  const { id, decision } = asked
  const inputDigest = digestInput(call)
  if (inputDigest === null || inputDigest !== asked.input) {
    throw new ServiceError('conflict', 'The arguments of the call have changed. Review them again.')
  }
  const note = (asked.note ?? '').trim() || null
  const isDecided = await inTransaction(async (tx) => {
    const decided = { decision, userId, name, note, inputDigest, now: new Date() }
    if (!(await decideCall(tx, { id, projectId }, decided))) return false
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      target: id,
      action: decision === 'approved' ? 'call.approved' : 'call.denied',
      after: {
        environment: call.environment,
        config: `${call.ns}/${call.key}`,
        session: call.sessionId,
        call_id: call.callId,
        tool: call.tool,
        rules: [...call.rules],
        input: inputDigest,
        note,
        ...(madeBy === null ? {} : { made_by: madeBy }),
      },
    })
    await requestApprovalEvaluation(tx, projectId, 'now')
    await notify(tx, { project: projectId, kind: 'approval', id })
    return true
  })
  if (isDecided) return
  const now = await findCallApproval(projectId, id)
  throw new ServiceError('conflict', now === null ? 'This call no longer exists.' : whyOver(now))
}

export async function callRights(scope: ProjectScope): Promise<readonly PlaceRight[]> {
  const environments = await listEnvironments(scope.projectId)
  return await loadPlaceRights(
    scope,
    'call.approve',
    environments.map(({ name }) => name),
  )
}

async function requireApprover(scope: ProjectScope, environment: string): Promise<void> {
  const refusal = await findPlaceRefusal(scope, 'call.approve', environment)
  if (refusal !== null) throw new ServiceError('forbidden', refusal, 'environment')
}

const OUTCOME = {
  approved: 'The call was approved',
  denied: 'The call was denied',
  timed_out: 'The runtime stopped waiting, so the call was denied',
  unavailable: 'The runtime could not wait, so the call was denied',
  ended: 'The session ended while the call waited, so it was denied',
} as const

function whyOver({
  decision,
  decidedName,
  decidedAt,
  outcome,
  waitsUntil,
}: CallApprovalFacts): string {
  if (decision !== null && decidedAt !== null) {
    const word = decision === 'approved' ? 'approved' : 'denied'
    return `${decidedName ?? 'A former member'} ${word} this call at ${instant(decidedAt)}. A call is decided once.`
  }
  if (outcome !== null) return `${OUTCOME[outcome]}. Your answer came too late.`
  return `The request expired at ${instant(waitsUntil)}, so the call was denied.`
}

function instant(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`
}
