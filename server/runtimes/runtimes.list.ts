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
    id: { type: TEXT, export: 'runtime' },
    name: { type: TEXT, label: 'Runtime', least: 160, export: 'name' },
    groupName: { type: TEXT, export: 'group' },
    environment: { type: TEXT, label: 'Environment', width: 96, export: 'environment' },
    sdkVersion: {
      type: TEXT,
      label: 'Agent',
      least: 100,
      share: 0.9,
      export: 'sdk_version',
    },
    harness: { type: json<JsonObject>(), export: 'harness' },
    configs: {
      type: json<readonly RuntimeConfig[]>(),
      label: 'Config',
      least: 130,
      export: 'configs',
    },
    versions: {
      type: TEXT,
      label: 'Version',
      hint: 'Applied, and expected if it differs',
      width: 136,
      isApart: true,
    },
    appliedRevision: { type: nullable(NUMBER), export: 'applied_revision' },
    expectedRevision: { type: NUMBER, export: 'expected_revision' },
    lastSeenAt: { type: INSTANT, label: 'Heartbeat', width: 76, export: 'last_seen_at' },
    liveSessions: {
      type: NUMBER,
      label: 'Running',
      hint: 'Sessions running now',
      width: 60,
      export: 'live_sessions',
    },
    state: {
      type: choice(RUNTIME_STATES),
      label: 'State',
      hint: 'By its last report, and by how long ago that was',
      least: 160,
      share: 1.8,
      export: 'state',
    },
    /** Place of its state in `RUNTIME_STATES`, from 1. */
    rank: { type: NUMBER },
    rejectedReason: { type: nullable(TEXT), export: 'rejected_reason' },
  },
  shown: [
    'name',
    'state',
    'environment',
    'sdkVersion',
    'configs',
    'versions',
    'liveSessions',
    'lastSeenAt',
  ],
  params: {
    environment: { kind: 'environment' },
    group: { kind: 'text', most: 300 },
    state: { kind: 'choice', values: RUNTIME_STATES },
  },
  grammar: { texts: [], numbers: {} },
  orders: { attention: { column: 'rank', thenBy: ['name'], direction: 'asc' } },
  defaultOrder: 'attention',
})
