import {
  defineList,
  INSTANT,
  json,
  NUMBER,
  nullable,
  TEXT,
} from '@/server/platform/list/define-list.ts'

/** Counts of the current hour and the 23 before it, as on the Overview. */
export interface PromptCounts {
  readonly calls: number
  readonly denied: number
  readonly stops: number
  readonly blocked: number
  /** Allowed calls that a shadow rule would have denied. */
  readonly wouldDeny: number
  /** Stop attempts that a check that only records would have blocked. */
  readonly wouldBlock: number
}

export interface ListedPointer {
  readonly environment: string
  readonly version: number
  /** Another version ran there before, so a rollback is possible. */
  readonly hasEarlier: boolean
}

export interface LastRelease {
  readonly id: string
  readonly environment: string
  readonly version: number
  readonly at: number
  /** Null: they left. */
  readonly author: string | null
}

/** A staged rollout that runs. */
export interface ListedStaged {
  readonly environment: string
  readonly version: number
  /** Share of new sessions, per mille. */
  readonly share: number
}

/** A request for release; it stays until the release is made. */
export interface ListedWaiting {
  readonly environment: string
  /** Null: the draft. */
  readonly version: number | null
  readonly state: 'waiting' | 'refused' | 'approved'
}

/** A release that is planned, or that a gate or a rollback stopped. */
export interface ListedPlan {
  readonly environment: string
  /** Null: the draft. */
  readonly version: number | null
  readonly state: 'pending' | 'held' | 'refused'
  /** Epoch ms. */
  readonly dueAt: number
}

/**
 * `draft`: the draft's text differs from its base. `apart`: environments run different versions, or only some run one. `behind`: a
 * connected runtime that hosts it has not applied its environment's revision. `unreleased`: it is live in no environment.
 */
const STANDS = ['draft', 'apart', 'behind', 'unreleased'] as const

export const CONFIGS = defineList({
  name: 'configs',
  columns: {
    id: { type: TEXT },
    ns: { type: TEXT, label: 'Prompt', least: 150, share: 1.7 },
    key: { type: TEXT },
    archivedAt: { type: nullable(INSTANT) },
    newestVersion: { type: nullable(NUMBER) },
    pointers: { type: json<readonly ListedPointer[]>(), label: 'Live versions' },
    /** In order of promotion, as `waiting` and `plans`. */
    staged: { type: json<readonly ListedStaged[]>() },
    waiting: { type: json<readonly ListedWaiting[]>() },
    plans: { type: json<readonly ListedPlan[]>() },
    draft: { type: TEXT, label: 'Draft', least: 86, share: 1.1, isApart: true },
    rules: {
      type: TEXT,
      label: 'Rules',
      width: 116,
      isApart: true,
    },
    runtimes: {
      type: TEXT,
      label: 'Runtimes',
      hint: 'Connected ones that host the prompt',
      width: 100,
      isApart: true,
    },
    /** Null: no call and no stop attempt. */
    day: {
      type: json<PromptCounts | null>(),
      label: '24 h',
      hint: 'Calls and stop attempts of this hour and the 23 before it',
      width: 110,
    },
    lastRelease: {
      type: json<LastRelease | null>(),
      label: 'Last release',
      least: 100,
      share: 0.9,
    },
    /** Text of the live version in the last environment of the chain that has one; without one, of the newest version; null: no version. */
    text: { type: nullable(TEXT) },
    hosts: { type: NUMBER },
    inSync: { type: NUMBER },
    /** Null: no open draft. */
    draftUpdatedAt: { type: nullable(INSTANT) },
    draftAuthor: { type: nullable(TEXT) },
    /** Null: no open draft, or its text is that of its base. */
    draftText: { type: nullable(TEXT) },
  },
  shown: ['ns', 'pointers', 'draft', 'rules', 'runtimes', 'day', 'lastRelease'],
  params: {
    /** Limits runtimes and counts to this environment. */
    environment: { kind: 'environment' },
    /** Part of `ns/key`, ignoring case. */
    q: { kind: 'text', most: 200 },
    show: { kind: 'choice', values: STANDS },
    archived: { kind: 'flag' },
  },
  grammar: { texts: [], numbers: {} },
  orders: {
    prompt: {
      column: 'ns',
      thenBy: ['key'],
      isUnique: true,
      direction: 'asc',
      index: 'configs_project_id_ns_key_key',
    },
    reversed: {
      column: 'ns',
      thenBy: ['key'],
      isUnique: true,
      direction: 'desc',
      index: 'configs_project_id_ns_key_key',
    },
  },
  defaultOrder: 'prompt',
})
