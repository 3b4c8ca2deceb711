import {
  choice,
  defineList,
  INSTANT,
  NUMBER,
  nullable,
  TEXT,
} from '@/server/platform/list/define-list.ts'
import { parseInstant, parseVersion } from '@/server/platform/list/filter-grammar.ts'

const SEVERITIES = ['info', 'caution', 'warning'] as const

const FOLLOWED = ['yes', 'no', 'ended', 'open', 'unknown'] as const

export const MOST_UNLISTED = 1_000

export const DELIVERIES = defineList({
  name: 'feedback',
  columns: {
    id: { type: TEXT, export: 'event' },
    at: { type: INSTANT, label: 'Time', width: 140, export: 'at' },
    environment: { type: TEXT, label: 'Environment', width: 96, export: 'environment' },
    prompt: { type: TEXT, label: 'Prompt', least: 124, export: 'prompt' },
    ns: { type: TEXT },
    key: { type: TEXT },
    sessionId: { type: TEXT, label: 'Session', width: 124, export: 'session' },
    seq: { type: NUMBER, label: 'Event', width: 56, export: 'seq' },
    provider: { type: TEXT, label: 'Provider', least: 100, export: 'provider' },
    name: { type: TEXT, label: 'Name', least: 100, export: 'name' },
    severity: { type: choice(SEVERITIES), label: 'Severity', width: 88, export: 'severity' },
    /** Null: it suggested no observable act. */
    followed: {
      type: nullable(choice(FOLLOWED)),
      label: 'Followed',
      width: 148,
      export: 'followed',
    },
    /** First 1,000 characters of the summary. */
    says: { type: TEXT, label: 'Message', least: 220, share: 2.5, export: 'says' },
  },
  shown: ['at', 'severity', 'provider', 'says', 'followed', 'prompt', 'sessionId'],
  params: {
    environment: { kind: 'environment' },
    provider: { kind: 'text', most: 300 },
    name: { kind: 'text', most: 300 },
    severity: { kind: 'choice', values: SEVERITIES },
    followed: { kind: 'choice', values: ['any', ...FOLLOWED] },
    prompt: { kind: 'prompt' },
    version: { kind: 'version' },
  },
  grammar: {
    texts: ['prompt', 'env', 'provider', 'name', 'runtime', 'session'],
    choices: { severity: SEVERITIES, followed: [...FOLLOWED, 'any'], demo: ['shown', 'only'] },
    numbers: { version: parseVersion, at: parseInstant },
  },
  orders: {
    newest: { column: 'at', direction: 'desc', index: 'deliveries_project_id_at_id_idx' },
    oldest: { column: 'at', direction: 'asc', index: 'deliveries_project_id_at_id_idx' },
  },
  defaultOrder: 'newest',
})
