import { destinationDigest, requireUsablePlace } from '@/server/alerts/destinations.ts'
import { webhookSecret } from '@/server/alerts/message.ts'
import { findEnvironment } from '@/server/environments/environments.sql.ts'
import { requireReadableRecords, seesRecords } from '@/server/people/key-limits.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { type AuthorizedProjectId, freshId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { requestDelivery, sendTo } from './deliver.ts'
import type { WebhookStreamInput } from './stream-input.ts'
import {
  changeStream,
  deleteStream,
  dropItems,
  dropRemovedItems,
  insertStream,
  listStreams,
  lockStreams,
  readAuditHead,
  type WebhookStreamRow,
} from './webhook-streams.sql.ts'

const MOST_STREAMS = 20

/** Without the path of the receiver, which may be a secret. */
export interface ListedStream extends Omit<WebhookStreamRow, 'url'> {
  /** Host of the receiver. */
  readonly to: string
  /** Equal for equal addresses. */
  readonly digest: string
}

function toListed({ url, ...stream }: WebhookStreamRow): ListedStream {
  return { ...stream, to: new URL(url).host, digest: destinationDigest({ kind: 'webhook', url }) }
}

/** A key sees the streams that it could have created. */
export async function listWebhookStreams(scope: ProjectScope): Promise<readonly ListedStream[]> {
  const streams = await listStreams(scope.projectId)
  return streams.filter((stream) => seesRecords(scope, stream)).map(toListed)
}

async function requireUsable(scope: ProjectScope, input: WebhookStreamInput): Promise<void> {
  const { url, environment: name } = input
  requireReadableRecords(scope, input)
  requireUsablePlace({ kind: 'webhook', url }, 'url')
  if (name === null) return
  if ((await findEnvironment({ projectId: scope.projectId, name })) === null) {
    throw new ServiceError('invalid', `There is no environment "${name}".`, 'environment')
  }
}

function requireFreeName(streams: readonly WebhookStreamRow[], name: string): void {
  if (streams.every((stream) => stream.name !== name)) return
  throw new ServiceError('conflict', `There is a webhook stream "${name}" already.`, 'name')
}

/** Rejects with `not_found`, also for a stream that the key does not see. */
async function requireStream(tx: Tx, scope: ProjectScope, id: string) {
  const streams = await lockStreams(tx, scope.projectId)
  const stream = streams.find((each) => each.id === id)
  if (stream === undefined || !seesRecords(scope, stream)) {
    throw new ServiceError('not_found', 'This webhook stream does not exist.')
  }
  return { stream, others: streams.filter((each) => each !== stream) }
}

function forLog({ name, url, audit, decisions, environment }: WebhookStreamInput) {
  return { name, to: new URL(url).host, audit, decisions, environment }
}

interface Entry {
  readonly verb: 'created' | 'changed' | 'removed' | 'resumed' | 'secret_shown' | 'tested'
  readonly id: string
  readonly before?: WebhookStreamInput
  readonly after?: WebhookStreamInput
}

async function record(tx: Tx, scope: ProjectScope, entry: Entry): Promise<void> {
  const { verb, id: target, before, after } = entry
  const { projectId } = scope
  await recordAudit(tx, {
    projectId,
    ...toAuditActor(scope),
    action: `webhook_stream.${verb}`,
    target,
    ...(before === undefined ? {} : { before: forLog(before) }),
    ...(after === undefined ? {} : { after: forLog(after) }),
  })
  await notify(tx, { project: projectId, kind: 'stream', id: target })
}

/** The stream begins with what happens from now on. Rejects with `conflict` when the name is taken. */
export async function createStream(
  scope: ProjectScope,
  input: WebhookStreamInput,
): Promise<{ readonly id: string }> {
  await requireUsable(scope, input)
  const { projectId } = scope
  const id = freshId('whs')
  await inTransaction(async (tx) => {
    const streams = await lockStreams(tx, projectId)
    requireFreeName(streams, input.name)
    if (streams.length >= MOST_STREAMS) {
      throw new ServiceError('limit', `A project has at most ${MOST_STREAMS} webhook streams.`)
    }
    const auditPosition = await readAuditHead(tx, projectId)
    await insertStream(tx, { ...input, id, projectId, auditPosition }, scope.userId)
    await requestDelivery(tx, { id, projectId })
    await record(tx, scope, { verb: 'created', id, after: input })
  })
  return { id }
}

/** The order and its numbers continue. A source that is changed begins with what happens from now on. */
export async function updateStream(
  scope: ProjectScope,
  id: string,
  after: WebhookStreamInput,
): Promise<void> {
  await requireUsable(scope, after)
  const { projectId } = scope
  await inTransaction(async (tx) => {
    const { stream: before, others } = await requireStream(tx, scope, id)
    requireFreeName(others, after.name)
    const addsAudit = after.audit && !before.audit
    const keepsDecisions =
      after.decisions === before.decisions && after.environment === before.environment
    if (!keepsDecisions) await dropItems(tx, { id, projectId })
    await changeStream(
      tx,
      { id, projectId },
      {
        ...after,
        ...(addsAudit ? { auditPosition: await readAuditHead(tx, projectId) } : {}),
      },
    )
    await record(tx, scope, { verb: 'changed', id, before, after })
  })
}

export async function removeStream(scope: ProjectScope, id: string): Promise<void> {
  await inTransaction(async (tx) => {
    const { stream: before } = await requireStream(tx, scope, id)
    await deleteStream(tx, { id, projectId: scope.projectId })
    await record(tx, scope, { verb: 'removed', id, before })
  })
}

/** Tries again at once, from the batch that did not arrive. */
export async function resumeStream(scope: ProjectScope, id: string): Promise<void> {
  const { projectId } = scope
  await inTransaction(async (tx) => {
    await requireStream(tx, scope, id)
    await changeStream(tx, { id, projectId }, { attempts: 0, nextAt: null, asideAt: null })
    await requestDelivery(tx, { id, projectId })
    await record(tx, scope, { verb: 'resumed', id })
  })
}

/** Call after retention has removed decisions of the project. */
export async function skipRemovedDecisions(projectId: AuthorizedProjectId): Promise<void> {
  await inTransaction(async (tx) => {
    for (const { id } of await lockStreams(tx, projectId)) {
      const dropped = await dropRemovedItems(tx, { id, projectId })
      if (dropped > 0) await notify(tx, { project: projectId, kind: 'stream', id })
    }
  })
}

export async function readStreamSecret(
  scope: ProjectScope,
  id: string,
): Promise<{ readonly secret: string }> {
  return await inTransaction(async (tx) => {
    await requireStream(tx, scope, id)
    await record(tx, scope, { verb: 'secret_shown', id })
    return { secret: webhookSecret(env().SIGNALBOX_AUTH_SECRET, id) }
  })
}

/** Sends a message without records, which has no number. `why`: null: it arrived. */
export async function tryStream(
  scope: ProjectScope,
  id: string,
): Promise<{ readonly to: string; readonly why: string | null }> {
  const stream = await inTransaction(async (tx) => {
    const found = await requireStream(tx, scope, id)
    await record(tx, scope, { verb: 'tested', id })
    return found.stream
  })
  const why = await sendTo(stream, freshId('msg'), {
    type: 'test',
    timestamp: new Date().toISOString(),
    data: { stream: id, project: scope.projectId },
  })
  return { to: new URL(stream.url).host, why }
}
