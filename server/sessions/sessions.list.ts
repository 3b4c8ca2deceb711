import {
  choice,
  defineList,
  INSTANT,
  json,
  NUMBER,
  nullable,
  TEXT,
} from '@/server/platform/list/define-list.ts'
import {
  parseCount,
  parseInstant,
  parsePercent,
  parseVersion,
} from '@/server/platform/list/filter-grammar.ts'

const ENDS = ['ended', 'lost'] as const
const STATUSES = ['running', ...ENDS] as const
/** Activity of a running session, as far as its log and its runtime's reports prove it. */
const ACTIVITIES = ['working', 'waiting', 'blocked', 'silent', 'unknown'] as const
const STATES = ['running', ...ACTIVITIES, ...ENDS] as const
const DOING = ['call', 'approval', 'refused', 'turn_over', 'lease_expired'] as const
/** Activities by how much they need a look, least first. */
export const URGENCY = [
  'working',
  'unknown',
  'silent',
  'waiting',
  'blocked',
] as const satisfies readonly (typeof ACTIVITIES)[number][]
const VERDICTS = ['denied', 'blocked', 'bypassed', 'deadline', 'error', 'warning'] as const
const ENFORCED = ['not', 'fully'] as const
const LABELS = ['good', 'bad', 'none'] as const

export const MOST_COUNTED = 10_000

export const MOST_FREED = 1_000

export const SESSIONS = defineList({
  name: 'sessions',
  columns: {
    id: { type: TEXT, export: 'session' },
    environment: { type: TEXT, label: 'Environment', width: 96, export: 'environment' },
    prompt: { type: TEXT, label: 'Prompt', least: 132, share: 1.2, export: 'prompt' },
    ns: { type: TEXT },
    key: { type: TEXT },
    status: {
      type: choice(STATUSES),
      label: 'Status',
      hint: 'Current state, as far as its log and its runtime prove it',
      width: 92,
      export: 'status',
    },
    /** Null: it is not running. */
    activity: { type: nullable(choice(ACTIVITIES)), export: 'activity' },
    /** Activity after its newest event; null: none that lasts, or events are missing. */
    doing: { type: nullable(choice(DOING)) },
    doingText: { type: nullable(TEXT) },
    configVersion: {
      type: nullable(NUMBER),
      label: 'Config',
      hint: 'Version at its start',
      align: 'start',
      width: 48,
      export: 'version',
    },
    /** Number of the live version in the session's environment; null: the config was never released there. */
    liveVersion: {
      type: nullable(NUMBER),
      label: 'Live',
      hint: 'Version that its environment runs now',
      width: 44,
      export: 'live_version',
    },
    configDigest: { type: nullable(TEXT) },
    runtimeId: { type: nullable(TEXT) },
    runtimeName: { type: nullable(TEXT), label: 'Runtime', least: 96, export: 'runtime' },
    /** Empty: session.started is not stored. */
    harness: {
      type: json<{ readonly name?: string; readonly version?: string }>(),
      label: 'Runs in',
      least: 56,
      share: 0.7,
      export: 'harness',
    },
    startedAt: {
      type: INSTANT,
      label: 'Started',
      align: 'end',
      width: 68,
      export: 'started_at',
    },
    endedAt: { type: nullable(INSTANT), label: 'Ended', width: 76, export: 'ended_at' },
    endReason: { type: nullable(TEXT), label: 'End reason', width: 84, export: 'end_reason' },
    deadlineAt: {
      type: nullable(INSTANT),
      label: 'Time',
      hint: 'Time to the deadline, or total run time',
      align: 'end',
      width: 100,
      export: 'deadline_at',
    },
    tokensUsed: {
      type: NUMBER,
      label: 'Tokens',
      hint: 'Used of the budget',
      width: 46,
      export: 'tokens_used',
    },
    tokenLimit: { type: nullable(NUMBER), export: 'token_limit' },
    planDone: {
      type: nullable(NUMBER),
      label: 'Plan',
      hint: 'Steps done',
      width: 36,
      export: 'plan_done',
    },
    planTotal: { type: nullable(NUMBER), export: 'plan_total' },
    calls: { type: NUMBER, label: 'Calls', width: 48, export: 'calls' },
    denied: { type: NUMBER, label: 'Denied', hint: 'Calls denied', width: 56, export: 'denied' },
    feedback: { type: NUMBER, label: 'Feedback', width: 64, export: 'feedback' },
    warnings: {
      type: NUMBER,
      label: 'Warnings',
      hint: 'Warnings delivered',
      width: 60,
      export: 'warnings',
    },
    stopAttempts: { type: NUMBER, label: 'Stops', width: 48, export: 'stop_attempts' },
    stopsBlocked: { type: NUMBER, label: 'Blocked', width: 56, export: 'stops_blocked' },
    lastVerdict: {
      type: nullable(TEXT),
      label: 'Last stop',
      hint: 'Its result, and how many stops were blocked',
      width: 136,
      export: 'last_verdict',
    },
    lastStopId: { type: nullable(TEXT), export: 'last_stop' },
    lastStopReason: { type: nullable(TEXT), export: 'last_stop_reason' },
    lastEventAt: { type: INSTANT, export: 'last_event_at' },
    lastEventText: {
      type: nullable(TEXT),
      label: 'Last event',
      least: 180,
      share: 2,
      export: 'last_event',
    },
    /** Sequence number up to which no event is missing. */
    contiguousSeq: { type: NUMBER },
    maxSeq: { type: NUMBER },
    /** `verified_to`: events up to `contiguousSeq` agree; later ones were not recomputed because events before them are missing. */
    verification: {
      type: choice(['pending', 'verified', 'verified_to', 'diverged']),
      export: 'verification',
    },
    divergedSeq: { type: nullable(NUMBER) },
    /** Number of log entries that a working runtime does not produce. */
    anomalies: { type: NUMBER },
    /** Most severe shortfall; `unknown`: session.started is not stored. */
    enforcement: { type: choice(['unknown', 'full', 'gap', 'breach']), export: 'enforcement' },
    breachCount: { type: NUMBER },
    /** Place of the activity of a running session in `URGENCY`, from 1; 0: it is not running. */
    urgency: { type: NUMBER },
  },
  shown: [
    'status',
    'prompt',
    'configVersion',
    'harness',
    'startedAt',
    'deadlineAt',
    'planDone',
    'denied',
    'lastVerdict',
    'lastEventText',
  ],
  params: {
    environment: { kind: 'environment' },
    status: { kind: 'choice', values: STATES },
    prompt: { kind: 'prompt' },
    version: { kind: 'version' },
    /** `bypassed`, `error`: the newest stop was. `deadline`: because the deadline had passed. Others: it happened at least once. */
    verdict: { kind: 'choice', values: VERDICTS },
    /** `not`: a shortfall is known. A session without its session.started matches neither. */
    enforced: { kind: 'choice', values: ENFORCED },
    runtime: { kind: 'text', most: 64 },
    /** Words that must all occur in prompt, session id or runtime name. */
    q: { kind: 'text', most: 200 },
    /** Id of the user who created the API key of the session's runtime. */
    madeBy: { kind: 'text', most: 64 },
  },
  grammar: {
    texts: ['prompt', 'env', 'runtime', 'session'],
    choices: {
      status: STATES,
      verdict: VERDICTS,
      enforced: ENFORCED,
      label: LABELS,
      imported: ['yes', 'no'],
      demo: ['shown', 'only'],
      ending: ['completed', 'failed', 'aborted'],
      'plan-done': ['no-plan', 'none', 'under-25', 'under-50', 'under-75', 'under-100', 'all'],
    },
    numbers: {
      version: parseVersion,
      'ended-version': parseVersion,
      'time-used': parsePercent,
      started: parseInstant,
      ended: parseInstant,
      calls: parseCount,
      denied: parseCount,
      warnings: parseCount,
      stops: parseCount,
      blocked: parseCount,
      tokens: parseCount,
    },
  },
  orders: {
    started: {
      column: 'startedAt',
      direction: 'desc',
      index: 'sessions_project_id_started_at_id_idx',
    },
    oldest: {
      column: 'startedAt',
      direction: 'asc',
      index: 'sessions_project_id_started_at_id_idx',
    },
    denied: {
      column: 'denied',
      direction: 'desc',
      index: 'sessions_project_id_denied_id_idx',
    },
    /** Only of running sessions, which are few. */
    urgent: { column: 'urgency', thenBy: ['startedAt'], direction: 'desc' },
  },
  defaultOrder: 'started',
  standardRange: '30d',
  fileCells: ({ harness, verification, contiguousSeq }) => ({
    harness: [harness.name, harness.version].filter(Boolean).join(' ') || null,
    verification: verification === 'verified_to' ? `verified to #${contiguousSeq}` : verification,
  }),
})
