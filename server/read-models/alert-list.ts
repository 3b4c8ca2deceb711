// Alerts for the console: firing first, then newest first, with what was sent about each.
import 'server-only'
import type { AlertDestination } from '../repositories/alerts.ts'
import type { AlertSignal } from './alert-moments.ts'
import { cursorOf, type Place } from './keyset.ts'
import { epochMs, readRows } from './rows.ts'

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

/** Newest first. */
export async function listAlerts(
  projectId: string,
  { state, environment }: AlertFilter,
  after: Place | null,
): Promise<AlertPage> {
  const rows = await readRows<ListedAlert>(
    `SELECT a.id, a.rule_id AS "ruleId", r.name AS rule, r.signal, r.window_minutes AS "windowMinutes", a.scope,
       a.firing IS TRUE AS "isFiring", a.muted AS "isMuted", ${epochMs('a.fired_at')} AS "firedAt",
       ${epochMs('a.resolved_at')} AS "resolvedAt", a.value, a.threshold, a.reason, a.evidence,
       a.acknowledged_name AS "acknowledgedName", ${epochMs('a.acknowledged_at')} AS "acknowledgedAt",
       a.acknowledged_note AS "acknowledgedNote",
       coalesce((SELECT json_agg(json_build_object('event', d.event, 'kind', d.kind,
           'to', substring(d.url FROM '^(?:https?://|mailto:)([^/?#]+)'), 'attempts', d.attempts,
           'deliveredAt', ${epochMs('d.delivered_at')}, 'failedAt', ${epochMs('d.failed_at')}, 'last', d.last)
         ORDER BY d.created_at, d.id) FROM alert_deliveries d WHERE d.alert_id = a.id), '[]'::json) AS deliveries
     FROM alerts a JOIN alert_rules r ON r.id = a.rule_id
     WHERE a.project_id = $1 AND ${state === null ? 'true' : OF_STATE[state]}
       AND ($4::text IS NULL OR split_part(a.scope, ' ', 1) = $4)
       AND ($2::float8 IS NULL OR (a.fired_at, a.id) < (to_timestamp($2::float8 / 1000), $3))
     ORDER BY a.fired_at DESC, a.id DESC LIMIT ${PAGE + 1}`,
    [projectId, after?.at ?? null, after?.id ?? null, environment],
  )
  const alerts = rows.slice(0, PAGE)
  const last = rows.length > PAGE ? alerts.at(-1) : undefined
  return {
    alerts,
    nextCursor: last === undefined ? null : cursorOf({ at: last.firedAt, id: last.id }),
  }
}

/** Firing, not muted, and nobody has said that they look after it. */
export async function countUnread(projectId: string): Promise<number> {
  const [row] = await readRows<{ count: number }>(
    `SELECT count(*)::int AS count FROM alerts a
     WHERE a.project_id = $1 AND ${OF_STATE.firing} AND a.acknowledged_at IS NULL`,
    [projectId],
  )
  return row?.count ?? 0
}
