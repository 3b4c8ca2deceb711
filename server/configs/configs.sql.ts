// An archived config keeps its history and can be restored.
import 'server-only'
import type { ConfigReader, RowInProject } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'

export interface ConfigRow {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly archivedAt: number | null
}

export interface PromptName {
  readonly ns: string
  readonly key: string
}

const COLUMNS = { id: true, ns: true, key: true, archivedAt: true } as const

function toConfigRow(row: {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly archivedAt: Date | null
}): ConfigRow {
  return { ...row, archivedAt: row.archivedAt?.getTime() ?? null }
}

export async function findConfig(
  scope: ConfigReader,
  { ns, key }: PromptName,
): Promise<ConfigRow | null> {
  const where = { projectId_ns_key: { projectId: scope.projectId, ns, key } }
  const row = await reader().config.findUnique({ where, select: COLUMNS })
  return row === null ? null : toConfigRow(row)
}

export async function findConfigById(
  where: RowInProject,
  tx: Tx = reader(),
): Promise<ConfigRow | null> {
  const row = await tx.config.findFirst({ where, select: COLUMNS })
  return row === null ? null : toConfigRow(row)
}

/** A transaction that also locks an environment must lock the environment first. Null: the project has no such config. */
export async function lockConfig(
  tx: Tx,
  where: { readonly projectId: AuthorizedProjectId; readonly ns: string; readonly key: string },
): Promise<ConfigRow | null> {
  const rows = await tx.$queryRaw<
    { id: string; ns: string; key: string; archivedAt: Date | null }[]
  >`
    SELECT id, ns, key, archived_at AS "archivedAt" FROM configs
    WHERE project_id = ${where.projectId} AND ns = ${where.ns} AND key = ${where.key}
    FOR UPDATE`
  const row = rows[0]
  return row === undefined ? null : toConfigRow(row)
}

/** Returns the new id, or null when the project has a config of this name already. */
export async function insertConfig(
  tx: Tx,
  config: { readonly projectId: AuthorizedProjectId; readonly ns: string; readonly key: string },
): Promise<string | null> {
  const id = freshId('cfg')
  const { count } = await tx.config.createMany({ data: [{ id, ...config }], skipDuplicates: true })
  return count === 1 ? id : null
}

/** Creates the configs that the project lacks and locks all of them in one order, so that concurrent callers wait but never deadlock. */
export async function takeConfigs(
  tx: Tx,
  projectId: AuthorizedProjectId,
  prompts: readonly PromptName[],
): Promise<readonly (ConfigRow & { readonly isNew: boolean })[]> {
  const ids = prompts.map(() => freshId('cfg'))
  const [namespaces, keys] = [prompts.map(({ ns }) => ns), prompts.map(({ key }) => key)]
  await tx.$executeRaw`
    INSERT INTO configs (id, project_id, ns, key)
    SELECT id, ${projectId}, ns, key FROM unnest(${ids}::text[], ${namespaces}::text[], ${keys}::text[]) AS f(id, ns, key)
    ORDER BY ns, key ON CONFLICT DO NOTHING`
  const rows = await tx.$queryRaw<
    { id: string; ns: string; key: string; archivedAt: Date | null }[]
  >`
    SELECT c.id, c.ns, c.key, c.archived_at AS "archivedAt" FROM configs c
    JOIN unnest(${namespaces}::text[], ${keys}::text[]) AS f(ns, key) ON f.ns = c.ns AND f.key = c.key
    WHERE c.project_id = ${projectId} ORDER BY c.ns, c.key FOR UPDATE OF c`
  const fresh = new Set(ids)
  return rows.map((row) => ({ ...toConfigRow(row), isNew: fresh.has(row.id) }))
}

export async function archiveConfigs(
  tx: Tx,
  change: {
    readonly projectId: AuthorizedProjectId
    readonly ids: readonly string[]
    readonly at: Date
  },
): Promise<void> {
  const { projectId, ids, at } = change
  await tx.config.updateMany({
    where: { projectId, id: { in: [...ids] } },
    data: { archivedAt: at },
  })
}

export async function setArchivedAt(
  tx: Tx,
  change: {
    readonly projectId: AuthorizedProjectId
    readonly id: string
    readonly at: Date | null
  },
): Promise<void> {
  const { projectId, id, at } = change
  await tx.config.update({ where: { id, projectId }, data: { archivedAt: at } })
}

export async function countPointers(tx: Tx, configId: string): Promise<number> {
  return await tx.environmentPointer.count({ where: { configId } })
}
