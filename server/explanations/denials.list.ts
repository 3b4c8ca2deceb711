import { choice, defineList, INSTANT, NUMBER, TEXT } from '@/server/platform/list/define-list.ts'
import { parseInstant, parseVersion } from '@/server/platform/list/filter-grammar.ts'

const DECISIONS = ['denied', 'error'] as const

export const DENIALS = defineList({
  name: 'decisions',
  columns: {
    id: { type: TEXT, export: 'decision' },
    at: { type: INSTANT, label: 'Time', width: 140, export: 'at' },
    environment: { type: TEXT, label: 'Environment', width: 96, export: 'environment' },
    prompt: { type: TEXT, label: 'Prompt', least: 124, export: 'prompt' },
    ns: { type: TEXT },
    key: { type: TEXT },
    sessionId: { type: TEXT, label: 'Session', width: 124, export: 'session' },
    seq: { type: NUMBER, label: 'Event', width: 56, export: 'seq' },
    tool: { type: TEXT, label: 'Tool', least: 100, export: 'tool' },
    decision: { type: choice(DECISIONS), label: 'Decision', width: 84, export: 'verdict' },
    /** Id of the deciding rule; empty: none decided. */
    rule: { type: TEXT, label: 'Rule', least: 152, export: 'rule' },
    code: { type: TEXT, label: 'Code', least: 110, export: 'code' },
    reason: { type: TEXT, label: 'Reason', least: 210, share: 2, export: 'reason' },
  },
  shown: ['at', 'decision', 'tool', 'reason', 'rule', 'prompt', 'sessionId'],
  params: {
    environment: { kind: 'environment' },
    rule: { kind: 'text', most: 300 },
    tool: { kind: 'text', most: 300 },
    decision: { kind: 'choice', values: DECISIONS },
    prompt: { kind: 'prompt' },
    version: { kind: 'version' },
  },
  grammar: {
    texts: ['prompt', 'env', 'tool', 'rule', 'code', 'runtime', 'session'],
    choices: {
      decision: DECISIONS,
      imported: ['yes', 'no'],
      demo: ['shown', 'only'],
      class: ['rule-said-no', 'prerequisite-missing', 'could-not-evaluate'],
    },
    numbers: { version: parseVersion, at: parseInstant },
  },
  orders: {
    newest: { column: 'at', direction: 'desc', index: 'denials_project_id_at_id_idx' },
    oldest: { column: 'at', direction: 'asc', index: 'denials_project_id_at_id_idx' },
  },
  defaultOrder: 'newest',
  fileCells: ({ rule }) => ({ rule: rule === '' ? null : rule }),
})
