import 'server-only'
import type { JsonObject } from '@signalbox/core'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { Prisma } from '@/server/platform/db/generated/client.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readableJson } from '@/server/platform/sql/storable-text.ts'

export interface Registration {
  readonly projectId: AuthorizedProjectId
  readonly environment: string
  readonly apiKeyId: string
  readonly name: string
  readonly sdkVersion: string
  readonly harness: JsonObject
  readonly prompts: readonly string[]
  readonly capabilities: JsonObject
  readonly posture: string
  readonly clockSkewMs: number
}

export interface RuntimeReport {
  readonly appliedRevision: number | null
  readonly appliedDigest: string | null
  readonly appliedSource: string | null
  readonly rejectedRevision: number | null
  readonly rejectedReason: string | null
  readonly liveSessions: number
  readonly spooledEvents: number
  readonly clockSkewMs: number
}

export interface RuntimeRow extends RuntimeReport {
  readonly id: string
  readonly environment: string
  readonly name: string
  readonly sdkVersion: string
  readonly harness: JsonObject
  readonly prompts: readonly string[]
  readonly capabilities: JsonObject
  readonly posture: string
  readonly registeredAt: number
  readonly lastSeenAt: number
  readonly appliedAt: number | null
  readonly stoppedAt: number | null
}

const MOST_RUNTIMES = 2_000

const INT4_MAX = 2_147_483_647

/** Clamps a reported number, because a wild count or clock must not make the report fail. */
export function clampToInt4(value: number): number {
  return Math.trunc(Math.max(-INT4_MAX, Math.min(INT4_MAX, value)))
}

function registrationRow(input: Registration, now: Date) {
  return {
    apiKeyId: input.apiKeyId,
    name: input.name,
    sdkVersion: input.sdkVersion,
    // Prisma's input type requires mutable arrays; the value is only read.
    harness: input.harness as object,
    prompts: [...input.prompts],
    capabilities: input.capabilities as object,
    posture: input.posture,
    clockSkewMs: clampToInt4(input.clockSkewMs),
    lastSeenAt: now,
    stoppedAt: null,
  }
}

/** True: the runtime is known in this project and environment, and was updated. */
export async function updateRegistration(
  tx: Tx,
  input: Registration & { readonly id: string; readonly now: Date },
): Promise<boolean> {
  const { id, projectId, environment, now } = input
  const { count } = await tx.runtime.updateMany({
    where: { id, projectId, environment },
    data: registrationRow(input, now),
  })
  return count === 1
}

export async function insertRuntime(
  tx: Tx,
  input: Registration & { readonly id: string; readonly now: Date },
): Promise<void> {
  const { id, projectId, environment, now } = input
  await tx.runtime.create({
    data: { id, projectId, environment, ...registrationRow(input, now) },
  })
}

export async function listRuntimes(
  scope: ConfigReader,
  filter: { readonly environment?: string | undefined; readonly seenSince: number },
): Promise<readonly RuntimeRow[]> {
  const rows = await reader().runtime.findMany({
    where: {
      projectId: scope.projectId,
      lastSeenAt: { gte: new Date(filter.seenSince) },
      ...(filter.environment === undefined ? {} : { environment: filter.environment }),
    },
    orderBy: [{ lastSeenAt: 'desc' }, { id: 'asc' }],
    take: MOST_RUNTIMES,
    omit: { projectId: true, apiKeyId: true },
  })
  return rows.map((row) => ({
    ...row,
    // Both columns were written from objects that the wire schema accepted.
    harness: row.harness as JsonObject,
    capabilities: row.capabilities as JsonObject,
    clockSkewMs: row.clockSkewMs ?? 0,
    registeredAt: row.registeredAt.getTime(),
    lastSeenAt: row.lastSeenAt.getTime(),
    appliedAt: row.appliedAt?.getTime() ?? null,
    stoppedAt: row.stoppedAt?.getTime() ?? null,
  }))
}

const CAPABILITIES = readableJson('capabilities')

/** Rows `item` of registered custom types, from `runtimes`. Rows of older servers may contain what PostgreSQL cannot read. */
const CUSTOM_TYPES = Prisma.raw(`runtimes
      CROSS JOIN LATERAL (SELECT (${CAPABILITIES})->'custom_types' AS types) t
      CROSS JOIN LATERAL json_array_elements(CASE json_typeof(t.types) WHEN 'array' THEN t.types ELSE '[]' END) AS item`)

/** Custom types that any runtime of the project has registered, sorted, at most 1,000. */
export async function listCustomTypes(scope: ConfigReader): Promise<readonly string[]> {
  const rows = await reader().$queryRaw<{ readonly type: string }[]>`
    SELECT DISTINCT item->>'type' AS type
    FROM ${CUSTOM_TYPES}
    WHERE project_id = ${scope.projectId} AND item->>'type' IS NOT NULL
    ORDER BY 1
    LIMIT 1000`
  return rows.map(({ type }) => type)
}

export interface CustomRule {
  readonly kind: 'policy' | 'feedback_provider' | 'checker'
  readonly type: string
  /** JSON Schema of `params`; null: any. */
  readonly schema: JsonObject | null
}

export async function listCustomRules(scope: ConfigReader): Promise<readonly CustomRule[]> {
  return await reader().$queryRaw<CustomRule[]>`
    SELECT DISTINCT ON (item->>'type', item->>'kind')
      item->>'kind' AS kind, item->>'type' AS type, item->'schema' AS schema
    FROM ${CUSTOM_TYPES}
    WHERE project_id = ${scope.projectId}
      AND item->>'kind' IN ('policy', 'feedback_provider', 'checker')
    ORDER BY item->>'type', item->>'kind', last_seen_at DESC
    LIMIT 1000`
}
