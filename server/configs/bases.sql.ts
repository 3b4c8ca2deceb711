// Versions that texts extend, and the configs that extend a config (specs/inheritance.md).
import 'server-only'
import { formatVersionReference, parseConfigText, parseVersionReference } from '@signalbox/wire'
import type { ConfigReader, InProject } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import { type KnownBase, readExtends } from './config-text-input.ts'

export interface StoredBase extends KnownBase {
  readonly versionId: string
  readonly configId: string
}

interface BaseRow {
  readonly ns: string
  readonly key: string
  readonly number: number
  readonly text: string
  readonly versionId: string
  readonly configId: string
  readonly isArchived: boolean
  readonly newest: number
  readonly extends: string | null
}

/** SQL: reference to a version. `config`, `version`: aliases of their tables. */
const referenceSql = (config: string, version: string): string =>
  `${config}.ns || '/' || ${config}.key || '@' || ${version}.number`

/** Bases that the texts extend, by reference; those that do not exist are missing. Texts may be any drafts. */
export async function loadBases(
  scope: InProject,
  texts: readonly string[],
  tx: Tx = reader(),
): Promise<ReadonlyMap<string, StoredBase>> {
  return await readBases(scope, texts.map(readExtends), tx)
}

/** Null: the project has no such version, or another build wrote it. */
export async function findBaseByReference(
  scope: InProject,
  reference: string,
): Promise<StoredBase | null> {
  return (await readBases(scope, [reference], reader())).get(reference) ?? null
}

async function readBases(
  { projectId }: InProject,
  references: readonly (string | null)[],
  tx: Tx,
): Promise<ReadonlyMap<string, StoredBase>> {
  const named = references.flatMap((reference) => {
    const parsed = reference === null ? null : parseVersionReference(reference)
    return parsed === null ? [] : [parsed]
  })
  if (named.length === 0) return new Map()
  const rows = await tx.$queryRawUnsafe<BaseRow[]>(
    `SELECT c.ns, c.key, v.number, v.text, v.id AS "versionId", c.id AS "configId", c.archived_at IS NOT NULL AS "isArchived",
       (SELECT max(n.number) FROM config_versions n WHERE n.config_id = c.id) AS newest,
       (SELECT ${referenceSql('bc', 'bv')} FROM config_versions bv JOIN configs bc ON bc.id = bv.config_id
         WHERE bv.id = v.base_version_id) AS extends
     FROM unnest($2::text[], $3::text[], $4::int[]) AS f(ns, key, number)
     JOIN configs c ON c.project_id = $1 AND c.ns = f.ns AND c.key = f.key
     JOIN config_versions v ON v.config_id = c.id AND v.number = f.number`,
    projectId,
    named.map(({ ns }) => ns),
    named.map(({ key }) => key),
    named.map(({ version }) => version),
  )
  return new Map(
    rows.flatMap(({ ns, key, number, text, ...row }) => {
      const parsed = parseConfigText(text)
      // A version of another build may not parse here; it cannot be extended then.
      if (!parsed.ok) return []
      const reference = formatVersionReference({ ns, key, version: number })
      return [[reference, { ...row, document: parsed.document }] as const]
    }),
  )
}

/** Base of a version. Null: the version has none. */
export async function findBaseById(
  { projectId }: InProject,
  versionId: string | null,
  tx: Tx = reader(),
): Promise<{
  readonly configId: string
  readonly reference: string
  readonly text: string
} | null> {
  if (versionId === null) return null
  const [row] = await tx.$queryRawUnsafe<{ configId: string; reference: string; text: string }[]>(
    `SELECT c.id AS "configId", ${referenceSql('c', 'v')} AS reference, v.text
     FROM config_versions v JOIN configs c ON c.id = v.config_id WHERE v.project_id = $1 AND v.id = $2`,
    projectId,
    versionId,
  )
  return row ?? null
}

/** Keeps the base from being archived until the transaction ends. False: it is archived already. */
export async function holdBase(tx: Tx, configId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ archivedAt: Date | null }[]>`
    SELECT archived_at AS "archivedAt" FROM configs WHERE id = ${configId} FOR SHARE`
  return rows[0]?.archivedAt === null
}

export interface Extender {
  readonly ns: string
  readonly key: string
  /** Number of the extending version. */
  readonly version: number
  /** Number of the base's version. */
  readonly base: number
  /** Environments in which the version is live; empty: it is only the newest one. */
  readonly environments: readonly string[]
}

/** Live and newest versions of configs that extend the config and are not archived. */
export async function listExtenders(
  { projectId }: InProject,
  configId: string,
  tx: Tx = reader(),
): Promise<readonly Extender[]> {
  return await tx.$queryRawUnsafe<Extender[]>(
    `SELECT c.ns, c.key, v.number AS version, b.number AS base,
       coalesce(array_agg(e.name ORDER BY e.position) FILTER (WHERE e.id IS NOT NULL), '{}') AS environments
     FROM config_versions b JOIN config_versions v ON v.base_version_id = b.id JOIN configs c ON c.id = v.config_id
     LEFT JOIN environment_pointers p ON p.version_id = v.id LEFT JOIN environments e ON e.id = p.environment_id
     WHERE b.project_id = $1 AND b.config_id = $2 AND c.archived_at IS NULL
       AND (p.version_id IS NOT NULL OR v.number = (SELECT max(n.number) FROM config_versions n WHERE n.config_id = c.id))
     GROUP BY c.ns, c.key, v.number, b.number ORDER BY c.ns, c.key, v.number`,
    projectId,
    configId,
  )
}

export interface MandatoryBase {
  readonly configId: string
  readonly ns: string
  readonly key: string
  /** Number of the newest version. */
  readonly newest: number
}

/** Null: configs need not extend anything. */
export async function findMandatoryBase(
  { projectId }: InProject,
  tx: Tx = reader(),
): Promise<MandatoryBase | null> {
  const [row] = await tx.$queryRaw<MandatoryBase[]>`
    SELECT c.id AS "configId", c.ns, c.key,
      (SELECT max(n.number) FROM config_versions n WHERE n.config_id = c.id) AS newest
    FROM mandatory_bases m JOIN configs c ON c.id = m.config_id WHERE m.project_id = ${projectId}`
  return row ?? null
}

/** `configId` null: configs need not extend anything from now on. */
export async function writeMandatoryBase(
  tx: Tx,
  { projectId, configId }: InProject & { readonly configId: string | null },
): Promise<void> {
  await tx.mandatoryBase.deleteMany({ where: { projectId } })
  if (configId !== null) await tx.mandatoryBase.create({ data: { projectId, configId } })
}

export interface WithoutBase {
  readonly ns: string
  readonly key: string
  readonly version: number
  readonly environments: readonly string[]
}

/** Live versions that do not extend the config; they go on. */
export async function listWithoutBase(
  { projectId }: ConfigReader,
  configId: string,
): Promise<readonly WithoutBase[]> {
  return await readRows<WithoutBase>(
    `SELECT c.ns, c.key, v.number AS version, array_agg(e.name ORDER BY e.position) AS environments
     FROM environment_pointers p JOIN environments e ON e.id = p.environment_id
     JOIN configs c ON c.id = p.config_id JOIN config_versions v ON v.id = p.version_id
     LEFT JOIN config_versions b ON b.id = v.base_version_id
     WHERE p.project_id = $1 AND c.project_id = $1 AND c.id <> $2 AND b.config_id IS DISTINCT FROM $2
     GROUP BY c.ns, c.key, v.number ORDER BY c.ns, c.key, v.number`,
    [projectId, configId],
  )
}
