// Alerts for the console: firing first, then newest first, with what was sent about each.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/auth/scope.ts'
import { formatCursor, type Place } from '@/server/platform/sql/keyset.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import type { AlertDestination } from './alerts.sql.ts'
import type { AlertSignal } from './signals.kinds.ts'

export interface ListedDelivery {
  readonly event: 'firing' | 'resolved'
  readonly kind: AlertDestination['kind']
  /** The host, or the address of an e-mail: a webhook's path may be a secret. */
  readonly to: string
  readonly attempts: number
  readonly deliveredAt: number | null
  readonly failedAt: number | null
  readonly last: string | null
}

export interface ListedAlert {
  readonly id: string
  readonly ruleId: string
  readonly rule: string
  /** End of its rule's mute, possibly in the past; null: not muted. */
  readonly ruleMutedUntil: number | null
  readonly signal: AlertSignal
  readonly windowMinutes: number
  readonly scope: string
  readonly isFiring: boolean
  readonly isMuted: boolean
  /** Epoch ms, as all times here. */
  readonly firedAt: number
  readonly resolvedAt: number | null
  readonly value: number
  readonly threshold: number
  readonly reason: string
  readonly evidence: string
  readonly acknowledgedName: string | null
  readonly acknowledgedAt: number | null
  readonly acknowledgedNote: string | null
  readonly deliveries: readonly ListedDelivery[]
}

export const ALERT_STATES = ['firing', 'resolved', 'muted'] as const
export type AlertState = (typeof ALERT_STATES)[number]

const OF_STATE: Readonly<Record<AlertState, string>> = {
  firing: 'a.firing AND NOT a.muted',
  resolved: 'a.firing IS NULL',
  muted: 'a.muted',
}

const PAGE = 50

export interface AlertFilter {
  /** Null: any, as `environment`. */
  readonly state: AlertState | null
  readonly environment: string | null
}

export interface AlertPage {
  readonly alerts: readonly ListedAlert[]
  readonly nextCursor: string | null
}

const COLUMNS = `a.id, a.rule_id AS "ruleId", r.name AS rule, ${epochMs('r.muted_until')} AS "ruleMutedUntil", r.signal,
       r.window_minutes AS "windowMinutes", a.scope,
       a.firing IS TRUE AS "isFiring", a.muted AS "isMuted", ${epochMs('a.fired_at')} AS "firedAt",
       ${epochMs('a.resolved_at')} AS "resolvedAt", a.value, a.threshold, a.reason, a.evidence,
       a.acknowledged_name AS "acknowledgedName", ${epochMs('a.acknowledged_at')} AS "acknowledgedAt",
       a.acknowledged_note AS "acknowledgedNote",
       coalesce((SELECT json_agg(json_build_object('event', d.event, 'kind', d.kind,
           'to', substring(d.url FROM '^(?:https?://|mailto:)([^/?#]+)'), 'attempts', d.attempts,
           'deliveredAt', ${epochMs('d.delivered_at')}, 'failedAt', ${epochMs('d.failed_at')}, 'last', d.last)
         ORDER BY d.created_at, d.id) FROM alert_deliveries d WHERE d.alert_id = a.id), '[]'::json) AS deliveries`
const TABLES = 'alerts a JOIN alert_rules r ON r.id = a.rule_id'

/** Needs the environment as `$2`. */
function passes(state: AlertState | null): string {
  const isThere = "($2::text IS NULL OR split_part(a.scope, ' ', 1) = $2)"
  return state === null ? isThere : `${isThere} AND (${OF_STATE[state]}) IS TRUE`
}

/** Newest first. */
export async function listAlerts(
  projectId: AuthorizedProjectId,
  { state, environment }: AlertFilter,
  after: Place | null,
): Promise<AlertPage> {
  const rows = await readRows<ListedAlert>(
    `SELECT ${COLUMNS} FROM ${TABLES}
     WHERE a.project_id = $1 AND ${passes(state)}
       AND ($3::float8 IS NULL OR (a.fired_at, a.id) < (to_timestamp($3::float8 / 1000), $4))
     ORDER BY a.fired_at DESC, a.id DESC LIMIT ${PAGE + 1}`,
    [projectId, environment, after?.at ?? null, after?.id ?? null],
  )
  const alerts = rows.slice(0, PAGE)
  const last = rows.length > PAGE ? alerts.at(-1) : undefined
  return {
    alerts,
    nextCursor: last === undefined ? null : formatCursor({ at: last.firedAt, id: last.id }),
  }
}

export interface AlertPatch extends ListedAlert {
  /** True when the row belongs to the filtered list, so that a new one may be counted. */
  readonly matches: boolean
}

/** Alerts of `ids` that exist in the project, in no particular order. */
export async function findAlerts(
  projectId: AuthorizedProjectId,
  { state, environment }: AlertFilter,
  ids: readonly string[],
): Promise<readonly AlertPatch[]> {
  return await readRows<AlertPatch>(
    `SELECT ${COLUMNS}, ${passes(state)} AS matches FROM ${TABLES}
     WHERE a.project_id = $1 AND a.id = ANY($3::text[])`,
    [projectId, environment, ids],
  )
}

/** Firing, not muted, and not acknowledged. */
export async function countUnread(projectId: AuthorizedProjectId): Promise<number> {
  const [row] = await readRows<{ count: number }>(
    `SELECT count(*)::int AS count FROM alerts a
     WHERE a.project_id = $1 AND ${OF_STATE.firing} AND a.acknowledged_at IS NULL`,
    [projectId],
  )
  return row?.count ?? 0
}
