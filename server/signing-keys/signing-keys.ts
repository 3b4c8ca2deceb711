// Runtimes follow the records; only their heartbeats tell which keys they trust (specs/keys.md).
import { signKeyRecord } from '@signalbox/wire'
import { publishBundle } from '@/server/bundles/bundles.ts'
import {
  activateSigningKey,
  adoptSigningKey,
  endSigningKey,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  type SigningKeyRow,
} from '@/server/bundles/signing-keys.sql.ts'
import {
  freshPair,
  type SigningPair,
  sealed,
  standing,
  toPair,
  toSigningPair,
} from '@/server/bundles/signing-seed.ts'
import { listEnvironments, lockEnvironment } from '@/server/environments/environments.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { findProjectSlug } from '@/server/platform/auth/projects.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { DISCONNECTED_AFTER_MS } from '@/server/runtimes/runtime-status.ts'
import {
  type KeyKnowledge,
  type KeyQuestion,
  readKeyKnowledge,
  readUnaware,
  type UnawareRuntime,
} from './key-knowledge.sql.ts'

const WEEK_MS = 7 * 86_400_000
const MOST_NAMED = 50

export interface ListedSigningKey {
  readonly id: string
  readonly publicKey: string
  readonly state: 'active' | 'next' | 'retired' | 'revoked'
  readonly createdAt: number
  /** Epoch ms; null: it never signed. */
  readonly activatedAt: number | null
  /** Epoch ms; null: it is not retired or revoked. */
  readonly endedAt: number | null
  /** Its private half is SIGNALBOX_SIGNING_KEY. */
  readonly fromEnvironment: boolean
  /** A record of an earlier key leads to it. Otherwise machines that trust another key must get it by hand. */
  readonly isLinked: boolean
}

export interface SigningKeys {
  /** Newest first, always with the active one. */
  readonly keys: readonly ListedSigningKey[]
  /** Id of the key that `environments` and `unaware` are about: the prepared one, or else the active one. */
  readonly about: string
  readonly environments: readonly KeyKnowledge[]
  /** The first 50 connected runtimes that do not trust it. */
  readonly unaware: readonly UnawareRuntime[]
  readonly word: string
}

function toSigningKeyState({ standing, revokedAt }: SigningKeyRow): ListedSigningKey['state'] {
  return standing ?? (revokedAt === null ? 'retired' : 'revoked')
}

function listed(row: SigningKeyRow): ListedSigningKey {
  const { id, publicKey, fromEnvironment, record } = row
  return {
    id,
    publicKey,
    fromEnvironment,
    state: toSigningKeyState(row),
    createdAt: row.createdAt.getTime(),
    activatedAt: row.activatedAt?.getTime() ?? null,
    endedAt: (row.revokedAt ?? row.retiredAt)?.getTime() ?? null,
    isLinked: record !== null,
  }
}

function question(projectId: AuthorizedProjectId, id: string): KeyQuestion {
  const now = Date.now()
  const connectedSince = new Date(now - DISCONNECTED_AFTER_MS)
  return { projectId, id, connectedSince, knownSince: new Date(now - WEEK_MS) }
}

/** Gives every project from before signing keys were stored a key of its own. The server calls it when it starts. */
export async function adoptSigningKeys(
  tx: Tx,
  projectId: AuthorizedProjectId | null = null,
): Promise<void> {
  await adoptSigningKey(tx, toSigningPair(env().SIGNALBOX_SIGNING_KEY), projectId)
}

/** Gives a new project its own signing key, so that a compromised key affects one project only. */
export async function beginSigning(tx: Tx, projectId: AuthorizedProjectId): Promise<void> {
  const now = new Date()
  await insert(tx, projectId, { pair: freshPair(), record: null, standing: 'active', now })
}

async function insert(
  tx: Tx,
  projectId: AuthorizedProjectId,
  key: {
    readonly pair: SigningPair
    readonly record: SigningKeyRow['record']
    readonly standing: 'active' | 'next'
    readonly now: Date
  },
): Promise<void> {
  const { pair, ...rest } = key
  const { id, publicKey, seed } = pair
  const sealedSeed = sealed(seed, { projectId, id })
  await insertSigningKey(tx, projectId, { ...rest, id, publicKey, sealedSeed })
}

export async function signingKeys({ projectId }: ProjectScope): Promise<SigningKeys> {
  const [rows, word] = await Promise.all([listSigningKeys(projectId), findProjectSlug(projectId)])
  const about = (standing(rows, 'next') ?? standing(rows, 'active'))?.id ?? ''
  const asked = question(projectId, about)
  const [environments, unaware] = await Promise.all([
    readKeyKnowledge(asked),
    readUnaware(asked, MOST_NAMED),
  ])
  return { keys: rows.map(listed).reverse(), about, environments, unaware, word }
}

async function lockedKeys(
  tx: Tx,
  projectId: AuthorizedProjectId,
): Promise<readonly SigningKeyRow[]> {
  await lockSigningKeys(tx, projectId)
  const rows = await listSigningKeys(projectId, tx)
  if (rows.length > 0) return rows
  await adoptSigningKeys(tx, projectId)
  return await listSigningKeys(projectId, tx)
}

function requireActiveKey(rows: readonly SigningKeyRow[]): SigningKeyRow {
  const row = standing(rows, 'active')
  if (row === null) throw new ServiceError('conflict', 'This project has no key that signs.')
  return row
}

async function record(
  tx: Tx,
  scope: ProjectScope,
  change: { readonly action: string; readonly id: string; readonly after?: object },
): Promise<void> {
  const { projectId } = scope
  await recordAudit(tx, {
    projectId,
    ...toAuditActor(scope),
    target: change.id,
    action: change.action,
    after: { key: change.id, ...change.after },
  })
  await notify(tx, { project: projectId, kind: 'runtime' })
}

/** Runtimes learn the record with their next heartbeat. A key that is already prepared stays, so two concurrent callers get the same one. */
export async function prepareSigningKey(scope: ProjectScope): Promise<{ readonly id: string }> {
  const { projectId } = scope
  return await inTransaction(async (tx) => {
    const rows = await lockedKeys(tx, projectId)
    const active = requireActiveKey(rows)
    const prepared = standing(rows, 'next')
    if (prepared !== null) return { id: prepared.id }
    const now = new Date()
    const pair = freshPair()
    const place = { project: await findProjectSlug(projectId), createdAt: now.getTime() }
    const previous = toPair(projectId, active).seed
    const made = signKeyRecord(place, { previous, next: pair.seed })
    await insert(tx, projectId, { pair, record: made, standing: 'next', now })
    await record(tx, scope, {
      action: 'signing_key.prepared',
      id: pair.id,
      after: { follows: active.id },
    })
    return { id: pair.id }
  })
}

/**
 * Every environment gets a new revision that it signs, and the private half of the old key is erased. Rejects with `invalid` when
 * connected runtimes do not trust it and `typedName` is not the project's name, and with `conflict` when it is not the prepared one.
 */
export async function activatePrepared(
  scope: ProjectScope,
  input: { readonly id: string; readonly typedName: string | null },
): Promise<void> {
  const { projectId } = scope
  await inTransaction(async (tx) => {
    const rows = await lockedKeys(tx, projectId)
    const [active, next] = [requireActiveKey(rows), standing(rows, 'next')]
    if (next?.id !== input.id)
      throw new ServiceError('conflict', 'This key is no longer the prepared one. Reload the page.')
    const unaware = unawareIn(await readKeyKnowledge(question(projectId, next.id), tx))
    if (unaware > 0) await demandName(projectId, input.typedName, `${unaware} runtimes`)
    await replaceKey(tx, projectId, { from: active, as: 'retired', to: next.id })
    const after = { instead_of: active.id, runtimes_that_did_not_know_it: unaware }
    await record(tx, scope, { action: 'signing_key.activated', id: next.id, after })
  })
}

function unawareIn(environments: readonly KeyKnowledge[]): number {
  return environments.reduce((sum, { total, knows }) => sum + total - knows, 0)
}

async function demandName(
  projectId: AuthorizedProjectId,
  typed: string | null,
  who: string,
): Promise<void> {
  const word = await findProjectSlug(projectId)
  if (typed === word) return
  throw new ServiceError(
    'invalid',
    `${who} do not trust this key. Type "${word}" to continue anyway.`,
    'typedName',
  )
}

interface HandOver {
  readonly from: SigningKeyRow
  readonly as: 'retired' | 'revoked'
  readonly to: string
}

/** Locks environments in one order, so that two of these calls, or releases, never deadlock. */
async function replaceKey(
  tx: Tx,
  projectId: AuthorizedProjectId,
  { from, as, to }: HandOver,
): Promise<void> {
  const environments = await listEnvironments(projectId, tx)
  const ids = environments.map(({ id }) => id).sort()
  for (const environmentId of ids) await lockEnvironment(tx, { projectId, environmentId })
  const now = new Date()
  await endSigningKey(tx, { projectId, id: from.id, as, now })
  await activateSigningKey(tx, { projectId, id: to, now })
  for (const environmentId of ids) await publishBundle(tx, { projectId, environmentId })
}

/**
 * No record leads to a revoked key. The prepared key replaces an active one, or else a new one to which no record leads. Rejects with
 * `invalid` unless `typedName` is the project's name, and with `not_found` for a key of another project.
 */
export async function revokeSigningKey(
  scope: ProjectScope,
  input: { readonly id: string; readonly typedName: string },
): Promise<void> {
  const { projectId } = scope
  const word = await findProjectSlug(projectId)
  await inTransaction(async (tx) => {
    const rows = await lockedKeys(tx, projectId)
    const row = rows.find(({ id }) => id === input.id)
    if (row === undefined) throw new ServiceError('not_found', 'This project has no such key.')
    if (row.revokedAt !== null) throw new ServiceError('conflict', 'This key was already revoked.')
    if (input.typedName !== word)
      throw new ServiceError('invalid', `Type "${word}" exactly to revoke the key.`, 'typedName')
    const successor = row.standing === 'active' ? await resolveSuccessor(tx, projectId, rows) : null
    if (successor === null)
      await endSigningKey(tx, { projectId, id: row.id, as: 'revoked', now: new Date() })
    else await replaceKey(tx, projectId, { from: row, as: 'revoked', to: successor })
    const after = successor === null ? {} : { signs_now: successor }
    await record(tx, scope, { action: 'signing_key.revoked', id: row.id, after })
  })
}

/** An attacker can sign records as well as bundles, so the compromised key signs no record for its successor. */
async function resolveSuccessor(
  tx: Tx,
  projectId: AuthorizedProjectId,
  rows: readonly SigningKeyRow[],
): Promise<string> {
  const prepared = standing(rows, 'next')
  if (prepared !== null) return prepared.id
  const pair = freshPair()
  await insert(tx, projectId, { pair, record: null, standing: 'next', now: new Date() })
  return pair.id
}
