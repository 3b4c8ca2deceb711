import {
  choice,
  defineList,
  INSTANT,
  json,
  NUMBER,
  nullable,
  TEXT,
} from '@/server/platform/list/define-list.ts'
import { parseInstant } from '@/server/platform/list/filter-grammar.ts'
import type { AlertDestination } from './alerts.sql.ts'
import { ALERT_SIGNAL_NAMES } from './signals.kinds.ts'

export interface ListedDelivery {
  readonly event: 'firing' | 'resolved'
  readonly kind: AlertDestination['kind']
  /** Host, or address of an email. A webhook's path may be a secret. */
  readonly to: string
  readonly attempts: number
  readonly deliveredAt: number | null
  readonly failedAt: number | null
  readonly last: string | null
}

const STATES = ['firing', 'acknowledged', 'muted', 'resolved'] as const

export const ALERTS = defineList({
  name: 'alerts',
  columns: {
    id: { type: TEXT, export: 'alert' },
    isFiring: { type: json<boolean>(), label: 'State', width: 116, export: 'firing' },
    isMuted: { type: json<boolean>(), export: 'muted' },
    ruleId: { type: TEXT, export: 'rule_id' },
    rule: { type: TEXT, label: 'Rule', least: 164, export: 'rule' },
    /** End of the mute of its rule, which may have passed; null: the rule is not muted. */
    ruleMutedUntil: { type: nullable(INSTANT), export: 'rule_muted_until' },
    signal: { type: choice(ALERT_SIGNAL_NAMES), label: 'Signal', least: 110, export: 'signal' },
    scope: {
      type: TEXT,
      label: 'Where',
      hint: 'Environment and config, or runtime',
      least: 110,
      export: 'where',
    },
    value: { type: NUMBER, label: 'Value', width: 100, export: 'value' },
    windowMinutes: { type: NUMBER, export: 'window_minutes' },
    threshold: {
      type: NUMBER,
      label: 'Threshold',
      hint: 'Value at which the rule fires',
      width: 72,
      export: 'threshold',
    },
    reason: { type: TEXT, label: 'What happened', least: 240, share: 3, export: 'reason' },
    evidence: { type: TEXT, export: 'evidence' },
    firedAt: { type: INSTANT, label: 'Since', width: 148, export: 'fired_at' },
    resolvedAt: { type: nullable(INSTANT), label: 'Resolved', width: 140, export: 'resolved_at' },
    acknowledgedName: {
      type: nullable(TEXT),
      label: 'Acknowledged by',
      least: 120,
      export: 'acknowledged_by',
    },
    acknowledgedAt: { type: nullable(INSTANT), export: 'acknowledged_at' },
    acknowledgedNote: { type: nullable(TEXT), export: 'acknowledged_note' },
    deliveries: { type: json<readonly ListedDelivery[]>() },
    notified: { type: TEXT, label: 'Notified', least: 120, isApart: true },
    handling: { type: TEXT, label: 'Action', width: 112, isApart: true },
  },
  shown: ['isFiring', 'reason', 'value', 'threshold', 'firedAt', 'notified', 'handling'],
  params: {
    environment: { kind: 'environment' },
    state: { kind: 'choice', values: STATES },
  },
  grammar: {
    texts: ['rule', 'where', 'by'],
    choices: { state: STATES, signal: ALERT_SIGNAL_NAMES },
    numbers: { fired: parseInstant, resolved: parseInstant },
  },
  orders: {
    newest: { column: 'firedAt', direction: 'desc', index: 'alerts_project_id_fired_at_id_idx' },
    oldest: { column: 'firedAt', direction: 'asc', index: 'alerts_project_id_fired_at_id_idx' },
  },
  defaultOrder: 'newest',
})
