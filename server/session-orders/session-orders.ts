// An order is a row until the runtime's event says that the session took it (specs/session-control.md).
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { findPlaceRefusal } from '@/server/platform/auth/place-rights.ts'
import { type Actor, type ProjectScope, readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { computeConnection } from '@/server/runtimes/runtime-status.ts'
import {
  type ControlledSession,
  findControlledSession,
  insertOrder,
  type StoredOrder,
} from './session-orders.sql.ts'

/** A runtime that is offline for a night still obeys in the morning. */
const VALID_MS = 24 * 60 * 60_000

export interface OrderRequest {
  readonly sessionId: string
  readonly action: StoredOrder['action']
  readonly reason: string
}

export interface SessionControl {
  /** From the session's log; an order on its way changes nothing. */
  readonly state: 'running' | 'paused' | 'ended'
  /** Newest order that the log records; null: none. */
  readonly recorded: StoredOrder | null
  /** Newer order whose event has not arrived and that has not expired; null: none. */
  readonly pending: StoredOrder | null
  /** False: the runtime has not reported lately, so an order waits until it is back. */
  readonly isReachable: boolean
  /** Reason why no order can be given to this session; null: there is none. */
  readonly obstacle: string | null
  /** Reason why the member may give none; null: they may. */
  readonly refusal: string | null
}

/** Rejects with `not_found`. */
export async function loadSessionControl(
  scope: ProjectScope,
  sessionId: string,
): Promise<SessionControl> {
  const session = await requireSession(scope.projectId, sessionId)
  const refusal = await findPlaceRefusal(scope, 'session.control', session.environment)
  return { ...judge(session, Date.now()), refusal }
}

export interface GivenOrder extends Pick<SessionControl, 'isReachable'> {
  readonly counter: number
  /** Epoch ms. */
  readonly expiresAt: number
}

/** Rejects with `not_found`, `forbidden`, or `conflict`: the session cannot be controlled, is so already, or was just given another order. */
export async function giveOrder(actor: Actor, asked: OrderRequest): Promise<GivenOrder> {
  const { sessionId, action, reason } = asked
  const { projectId } = actor
  const session = await requireSession(projectId, sessionId)
  await requireRight(actor, session.environment, asked)
  const now = new Date()
  const control = judge(session, now.getTime())
  const conflict = control.obstacle ?? findConflict(control, action)
  const runtimeId = session.runtime?.id
  if (conflict !== null || runtimeId === undefined) {
    throw new ServiceError('conflict', conflict ?? NO_RUNTIME)
  }
  const counter = (session.orders[0]?.counter ?? 0) + 1
  const { orderedBy, by } = { orderedBy: readActorId(actor), by: toAuditActor(actor).actor }
  const expiresAt = new Date(now.getTime() + VALID_MS)
  const { environment, environmentId } = session
  const isGiven = await inTransaction(async (tx) => {
    const place = { sessionId, projectId, environment, runtimeId }
    const order = { counter, action, reason, by, orderedBy, orderedAt: now, expiresAt }
    if (!(await insertOrder(tx, { ...place, ...order }))) return false
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(actor),
      action: `session.${action}_ordered`,
      target: sessionId,
      after: { environment, counter, reason, expires_at: expiresAt.getTime() },
    })
    await notify(tx, {
      project: projectId,
      kind: 'refresh',
      id: runtimeId,
      environment: environmentId,
    })
    await notify(tx, { project: projectId, kind: 'session', id: sessionId })
    return true
  })
  if (!isGiven) {
    throw new ServiceError('conflict', 'Someone else gave this session an order at this moment.')
  }
  return { counter, expiresAt: expiresAt.getTime(), isReachable: control.isReachable }
}

async function requireSession(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<ControlledSession> {
  const session = await findControlledSession(projectId, sessionId)
  if (session === null) throw new ServiceError('not_found', `There is no session ${sessionId}.`)
  return session
}

/** A session of another environment is not found for a key, which belongs to one. */
async function requireRight(
  actor: Actor,
  environment: string,
  { sessionId, action }: OrderRequest,
): Promise<void> {
  if ('keyId' in actor) {
    if (actor.environment !== environment) {
      throw new ServiceError('not_found', `There is no session ${sessionId}.`)
    }
    if (action !== 'resume' || !actor.scopes.includes('ingest')) return
    throw new ServiceError('forbidden', INGEST_RESUMES, 'action')
  }
  const refusal = await findPlaceRefusal(actor, 'session.control', environment)
  if (refusal !== null) throw new ServiceError('forbidden', refusal, 'environment')
}

const INGEST_RESUMES =
  'A key with the scope "ingest" may be that of the agent, which must not resume itself. Use another key.'
const NO_RUNTIME = 'The session names no runtime of this server, so no order reaches it.'
const TOO_OLD =
  'The version of its runtime takes no orders yet. Update the runtime, or wait for its next report if you just did.'

function judge(session: ControlledSession, now: number): Omit<SessionControl, 'refusal'> {
  const { orders, runtime, isEnded } = session
  const recorded = orders.find(({ recordedAt }) => recordedAt !== null) ?? null
  const [newest] = orders
  const isOpen = newest !== undefined && newest.recordedAt === null && newest.expiresAt > now
  return {
    state: toState(recorded),
    recorded,
    pending: isOpen && !isEnded ? newest : null,
    isReachable: runtime !== null && computeConnection(runtime, now) === 'connected',
    obstacle: findObstacle({ isEnded, runtime }),
  }
}

function toState(recorded: StoredOrder | null): SessionControl['state'] {
  if (recorded === null || recorded.action === 'resume') return 'running'
  return recorded.action === 'pause' ? 'paused' : 'ended'
}

function findObstacle({
  isEnded,
  runtime,
}: Pick<ControlledSession, 'isEnded' | 'runtime'>): string | null {
  if (isEnded) return 'The session has ended.'
  if (runtime === null) return NO_RUNTIME
  return runtime.takesOrders ? null : TOO_OLD
}

/** Null: the order makes a difference. */
function findConflict(
  { pending, recorded }: Pick<SessionControl, 'pending' | 'recorded'>,
  action: StoredOrder['action'],
): string | null {
  const last = pending ?? recorded
  if (last?.action === 'end') return `${last.by} has ended this session.`
  if (action === 'pause' && last?.action === 'pause') return `${last.by} has paused this session.`
  if (action === 'resume' && last?.action !== 'pause') return 'The session is not paused.'
  return null
}
