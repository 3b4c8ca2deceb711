import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import type { FilterOf, RowOf } from '@/server/platform/list/define-list.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { sqlList } from '@/server/platform/sql/sql-list.ts'
import { ALERTS } from './alerts.list.ts'

export type ListedAlert = RowOf<typeof ALERTS>
export type AlertFilter = FilterOf<typeof ALERTS>

/** An alert that began while its rule was muted, or whose rule is muted now, as `alertState` of the console. */
const MUTED = '(a.muted OR coalesce(r.muted_until > now(), false))'
const FIRING = `a.firing IS TRUE AND NOT ${MUTED}`

const OF_STATE: Readonly<Record<NonNullable<AlertFilter['state']>, string>> = {
  firing: `${FIRING} AND a.acknowledged_at IS NULL`,
  acknowledged: `${FIRING} AND a.acknowledged_at IS NOT NULL`,
  muted: `a.firing IS TRUE AND ${MUTED}`,
  resolved: 'a.firing IS NULL',
}

const DELIVERIES = `coalesce((SELECT json_agg(json_build_object('event', d.event, 'kind', d.kind,
    'to', substring(d.url FROM '^(?:https?://|mailto:)([^/?#]+)'), 'attempts', d.attempts,
    'deliveredAt', ${epochMs('d.delivered_at')}, 'failedAt', ${epochMs('d.failed_at')}, 'last', d.last)
  ORDER BY d.created_at, d.id) FROM alert_deliveries d WHERE d.alert_id = a.id), '[]'::json)`

const TABLES = 'alerts a JOIN alert_rules r ON r.id = a.rule_id'

export const alertList = sqlList(ALERTS, {
  tables: TABLES,
  row: 'a',
  columns: {
    id: 'a.id',
    isFiring: 'a.firing IS TRUE',
    isMuted: 'a.muted',
    ruleId: 'a.rule_id',
    rule: 'r.name',
    ruleMutedUntil: epochMs('r.muted_until'),
    signal: 'r.signal',
    scope: 'a.scope',
    value: 'a.value',
    windowMinutes: 'r.window_minutes',
    threshold: 'a.threshold',
    reason: 'a.reason',
    evidence: 'a.evidence',
    firedAt: epochMs('a.fired_at'),
    resolvedAt: epochMs('a.resolved_at'),
    acknowledgedName: 'a.acknowledged_name',
    acknowledgedAt: epochMs('a.acknowledged_at'),
    acknowledgedNote: 'a.acknowledged_note',
    deliveries: DELIVERIES,
  },
  params: {
    environment: (name, bind) => `split_part(a.scope, ' ', 1) = ${bind(name)}`,
    state: (state) => OF_STATE[state],
  },
  fields: {
    texts: { rule: 'r.name', where: 'a.scope', by: "coalesce(a.acknowledged_name, '')" },
    choices: {
      state: (state) => (isState(state) ? OF_STATE[state] : 'false'),
      signal: (signal, bind) => `r.signal = ${bind(signal)}`,
    },
    numbers: { fired: epochMs('a.fired_at'), resolved: epochMs('a.resolved_at') },
    row: "concat_ws(' ', a.reason, r.name, a.scope, a.acknowledged_note)",
  },
  orders: { newest: 'a.fired_at', oldest: 'a.fired_at' },
  range: 'a.fired_at',
})

function isState(name: string): name is keyof typeof OF_STATE {
  return Object.hasOwn(OF_STATE, name)
}

export interface AlertPatch extends ListedAlert {
  /** The row matches the filter of the list, so a new one may be counted. */
  readonly matches: boolean
}

export async function findAlerts(
  projectId: AuthorizedProjectId,
  filter: AlertFilter,
  ids: readonly string[],
): Promise<readonly AlertPatch[]> {
  const { text, values, bind } = alertList.where(projectId, filter)
  return await readRows<AlertPatch>(
    `SELECT ${alertList.columns}, coalesce(${text}, false) AS matches FROM ${TABLES}
     WHERE a.project_id = $1 AND a.id = ANY(${bind(ids)}::text[])`,
    values,
  )
}

export interface AlertCounts {
  /** Not muted and not acknowledged. */
  readonly firing: number
  readonly acknowledged: number
  readonly muted: number
}

export async function countOpenAlerts(projectId: AuthorizedProjectId): Promise<AlertCounts> {
  const [row] = await readRows<AlertCounts>(
    `SELECT count(*) FILTER (WHERE ${OF_STATE.firing})::int AS firing, count(*) FILTER (WHERE ${OF_STATE.acknowledged})::int AS acknowledged,
       count(*) FILTER (WHERE ${OF_STATE.muted})::int AS muted
     FROM ${TABLES} WHERE a.project_id = $1 AND a.firing IS TRUE`,
    [projectId],
  )
  return row ?? { firing: 0, acknowledged: 0, muted: 0 }
}
