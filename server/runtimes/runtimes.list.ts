import type { JsonObject } from '@signalbox/core'
import {
  choice,
  defineList,
  INSTANT,
  json,
  NUMBER,
  nullable,
  TEXT,
} from '@/server/platform/list/define-list.ts'

/** In the order in which they need attention. */
export const RUNTIME_STATES = [
  'rejected',
  'nothing_applied',
  'behind',
  'ahead',
  'stale',
  'in_sync',
  'disconnected',
] as const

export interface RuntimeConfig {
  /** `ns/key` */
  readonly prompt: string
  /** Version in the applied bundle; null: none, or no bundle is applied. */
  readonly applied: number | null
  /** Live version in the environment; null: none. */
  readonly expected: number | null
  readonly behind: number
}

export const RUNTIMES = defineList({
  name: 'runtimes',
  columns: {
    id: { type: TEXT },
    name: { type: TEXT, label: 'Name', least: 130 },
    groupName: { type: TEXT },
    environment: { type: TEXT, label: 'Environment', width: 96 },
    sdkVersion: { type: TEXT, label: 'SDK · harness', least: 100, share: 0.9 },
    harness: { type: json<JsonObject>() },
    configs: { type: json<readonly RuntimeConfig[]>(), label: 'Config', least: 130 },
    versions: { type: TEXT, label: 'Applied / expected', width: 116, isApart: true },
    appliedRevision: { type: nullable(NUMBER) },
    expectedRevision: { type: NUMBER },
    lastSeenAt: { type: INSTANT, label: 'Heartbeat', width: 76 },
    liveSessions: {
      type: NUMBER,
      label: 'Sessions',
      hint: 'Sessions running now',
      width: 60,
    },
    state: {
      type: choice(RUNTIME_STATES),
      label: 'State',
      hint: 'By its last report, and by how long ago that was',
      least: 180,
      share: 1.8,
    },
    /** Place of its state in `RUNTIME_STATES`, from 1. */
    rank: { type: NUMBER },
    rejectedReason: { type: nullable(TEXT) },
  },
  shown: [
    'name',
    'environment',
    'sdkVersion',
    'configs',
    'versions',
    'lastSeenAt',
    'liveSessions',
    'state',
  ],
  params: {
    environment: { kind: 'environment' },
    group: { kind: 'text', most: 300 },
  },
  grammar: { texts: [], numbers: {} },
  orders: { attention: { column: 'rank', thenBy: ['name'], direction: 'asc' } },
  defaultOrder: 'attention',
})
