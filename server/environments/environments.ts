// Environments are never renamed, because keys, runtimes and sessions refer to them by name. Only an unused one can be removed.

import type { JsonObject } from '@signalbox/core'
import { plural } from '@signalbox/core/analysis'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { withdrawPublishIn } from '@/server/platform/auth/members.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inBothTransactions, inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import {
  countEnvironmentUses,
  deleteEnvironment,
  type EnvironmentDemands,
  type EnvironmentRow,
  type EnvironmentUse,
  insertEnvironment,
  listEnvironments,
  lockEnvironment,
  lockEnvironmentList,
  setPositions,
  updateDemands,
} from './environments.sql.ts'

const MOST_ENVIRONMENTS = 20

export interface EnvironmentSettings extends Omit<EnvironmentRow, 'projectId'> {
  readonly use: EnvironmentUse
}

const NO_USE: EnvironmentUse = { releases: 0, keys: 0, runtimes: 0, sessions: 0 }

function isUsed(use: EnvironmentUse): boolean {
  return use.releases + use.keys + use.runtimes + use.sessions > 0
}

export async function loadEnvironmentSettings(
  scope: ProjectScope,
): Promise<readonly EnvironmentSettings[]> {
  const [rows, uses] = await Promise.all([
    listEnvironments(scope.projectId),
    countEnvironmentUses(scope.projectId),
  ])
  return rows.map(({ projectId: _projectId, ...row }) => ({
    ...row,
    use: uses.get(row.name) ?? NO_USE,
  }))
}

function toAuditDemands(demands: EnvironmentDemands) {
  return {
    required_approvals: demands.requiredApprovals,
    required_note: demands.requiresNote,
    typed_confirmation: demands.requiresTypedName,
    required_backtest: demands.requiresBacktest,
    rollback_skips_approval: demands.rollbackSkipsApproval,
  }
}

interface Change {
  readonly action: 'created' | 'changed' | 'removed' | 'reordered'
  readonly target: string
  readonly before?: JsonObject
  readonly after?: JsonObject
}

async function record(tx: Tx, scope: ProjectScope, change: Change): Promise<void> {
  const { action, ...rest } = change
  const { projectId } = scope
  await recordAudit(tx, {
    projectId,
    ...toAuditActor(scope),
    ...rest,
    action: `environment.${action}`,
  })
  // No config changed, but every config's page shows the environments.
  await notify(tx, { project: projectId, kind: 'config' })
}

async function lockedList(tx: Tx, scope: ProjectScope): Promise<readonly EnvironmentRow[]> {
  await lockEnvironmentList(tx, scope.projectId)
  return await listEnvironments(scope.projectId, tx)
}

function rowNamed(rows: readonly EnvironmentRow[], name: string): EnvironmentRow {
  const row = rows.find((each) => each.name === name)
  if (row === undefined) {
    throw new ServiceError('not_found', `There is no environment "${name}".`, 'name')
  }
  return row
}

/** Adds it at the end of the order. Rejects with `conflict` when the name is taken, and with `limit` above 20. */
export async function createEnvironment(
  scope: ProjectScope,
  input: EnvironmentDemands & { readonly name: string },
): Promise<{ readonly id: string }> {
  const { name, ...demands } = input
  return await inTransaction(async (tx) => {
    const rows = await lockedList(tx, scope)
    if (rows.some((row) => row.name === name)) {
      throw new ServiceError('conflict', `There is an environment "${name}" already.`, 'name')
    }
    if (rows.length >= MOST_ENVIRONMENTS) {
      throw new ServiceError('limit', `A project has at most ${MOST_ENVIRONMENTS} environments.`)
    }
    const position = rows.length
    const { projectId } = scope
    const id = await insertEnvironment(tx, { projectId, name, position, ...demands })
    const after = { environment: name, position, ...toAuditDemands(demands) }
    await record(tx, scope, { action: 'created', target: id, after })
    return { id }
  })
}

/** A concurrent release sees either all old or all new demands. Rejects with `not_found`. */
export async function changeDemands(
  scope: ProjectScope,
  input: EnvironmentDemands & { readonly name: string },
): Promise<void> {
  const { name, ...demands } = input
  await inTransaction(async (tx) => {
    const row = rowNamed(await lockedList(tx, scope), name)
    const place = { projectId: row.projectId, environmentId: row.id }
    await lockEnvironment(tx, place)
    await updateDemands(tx, place, demands)
    const before = { environment: name, ...toAuditDemands(row) }
    const after = { environment: name, ...toAuditDemands(demands) }
    await record(tx, scope, { action: 'changed', target: row.id, before, after })
  })
}

/** `names`: every environment once. Rejects with `conflict` when the list changed meanwhile. */
export async function reorderEnvironments(
  scope: ProjectScope,
  names: readonly string[],
): Promise<void> {
  await inTransaction(async (tx) => {
    const rows = await lockedList(tx, scope)
    const isSame = new Set(names).size === rows.length && names.length === rows.length
    const ids =
      rows.length === 0 ? [] : names.map((name) => rows.find((row) => row.name === name)?.id)
    const known = ids.filter((id) => id !== undefined)
    if (!isSame || known.length !== rows.length) {
      throw new ServiceError(
        'conflict',
        'The environments have changed. Check the list and repeat the move.',
      )
    }
    await setPositions(tx, scope.projectId, known)
    const before = { order: rows.map(({ name }) => name) }
    const after = { order: [...names] }
    await record(tx, scope, { action: 'reordered', target: scope.projectId, before, after })
  })
}

/** Rejects with `invalid` unless its name was typed, and with `conflict` while it is used or the last one. */
export async function removeEnvironment(
  scope: ProjectScope,
  input: { readonly name: string; readonly typedName: string },
): Promise<void> {
  const { name, typedName } = input
  if (typedName !== name) {
    throw new ServiceError('invalid', `Type "${name}" exactly to remove it.`, 'typedName')
  }
  await inBothTransactions(async (both) => {
    const { cell: tx } = both
    const rows = await lockedList(tx, scope)
    const row = rowNamed(rows, name)
    const { projectId } = scope
    const place = { projectId, environmentId: row.id }
    await lockEnvironment(tx, place)
    const use = (await countEnvironmentUses(projectId, tx)).get(name) ?? NO_USE
    if (isUsed(use)) {
      const { releases, keys, runtimes, sessions } = use
      const count = `${plural(releases, 'release')}, ${plural(keys, 'key')}, ${plural(runtimes, 'runtime')} and ${plural(sessions, 'session')}`
      const message = `${count} belong to ${name}, so it cannot be removed: what they did would lose its place.`
      throw new ServiceError('conflict', message)
    }
    if (rows.length === 1) {
      throw new ServiceError('conflict', 'A project keeps at least one environment.')
    }
    await deleteEnvironment(tx, place)
    // Rights are stored by name, and a new environment of this name must not start with publishers.
    await withdrawPublishIn(both, { projectId, environment: name })
    await setPositions(
      tx,
      projectId,
      rows.filter(({ id }) => id !== row.id).map(({ id }) => id),
    )
    await record(tx, scope, { action: 'removed', target: row.id, before: { environment: name } })
  })
}
