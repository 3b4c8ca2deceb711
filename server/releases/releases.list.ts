import type {
  LastApplied,
  Rejection,
  ReleaseStatus,
  Successor,
} from '@/server/configs/release-standing.sql.ts'
import {
  choice,
  defineList,
  INSTANT,
  json,
  NUMBER,
  nullable,
  TEXT,
} from '@/server/platform/list/define-list.ts'

const STATUSES = [
  'waiting',
  'publishing',
  'partial',
  'live',
  'superseded',
  'rolled_back',
] as const satisfies readonly ReleaseStatus[]

export const RELEASES = defineList({
  name: 'releases',
  columns: {
    id: { type: TEXT },
    prompt: { type: TEXT, label: 'Config', least: 136, share: 1.2 },
    ns: { type: TEXT },
    key: { type: TEXT },
    environment: { type: TEXT, label: 'Environment', width: 96 },
    kind: { type: choice(['publish', 'promote', 'rollback']) },
    version: { type: NUMBER, label: 'Version', align: 'start', width: 64 },
    /** Null: the first release in its environment. */
    previousVersion: { type: nullable(NUMBER) },
    status: { type: json<ReleaseStatus>(), label: 'State', least: 190, share: 1.2 },
    isLate: { type: json<boolean>() },
    applied: { type: NUMBER, label: 'Applied', width: 96, align: 'start' },
    rejected: { type: NUMBER },
    total: { type: NUMBER },
    successor: { type: json<Successor | null>() },
    rejection: { type: json<Rejection | null>() },
    lastApplied: { type: json<LastApplied | null>() },
    /** Null: they have left. */
    author: { type: nullable(TEXT), label: 'By', least: 84, share: 0.6 },
    note: { type: nullable(TEXT), label: 'Note', least: 116, share: 1.2 },
    revision: {
      type: NUMBER,
      label: 'Revision',
      hint: 'Revision of the environment’s bundle',
      width: 64,
    },
    createdAt: { type: INSTANT, label: 'Released', width: 140 },
  },
  shown: ['prompt', 'version', 'environment', 'status', 'applied', 'note', 'author', 'createdAt'],
  params: { environment: { kind: 'environment' }, status: { kind: 'choice', values: STATUSES } },
  grammar: { texts: [], numbers: {} },
  orders: {
    newest: {
      column: 'createdAt',
      direction: 'desc',
      index: 'releases_project_id_created_at_id_idx',
    },
    oldest: {
      column: 'createdAt',
      direction: 'asc',
      index: 'releases_project_id_created_at_id_idx',
    },
  },
  defaultOrder: 'newest',
})

/** Most sessions of one release that its page counts. */
export const MOST_SESSIONS = 10_000

/** Sessions of each version that a verdict needs, unless the release names another number. */
export const USUAL_SESSIONS = 20
