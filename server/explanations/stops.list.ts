import {
  choice,
  defineList,
  INSTANT,
  NUMBER,
  nullable,
  TEXT,
} from '@/server/platform/list/define-list.ts'
import { parseCount, parseInstant, parseVersion } from '@/server/platform/list/filter-grammar.ts'

const VERDICTS = ['blocked', 'bypassed', 'error', 'no_checker', 'allowed'] as const
const BYPASSES = ['deadline', 'budget', 'max_blocks', 'ended'] as const

/** Filter texts have dashes, as users write words. */
const dashed = (values: readonly string[]): readonly string[] =>
  values.map((value) => value.replaceAll('_', '-'))

export const MOST_GROUPS = 100

export const STOPS = defineList({
  name: 'stops',
  columns: {
    id: { type: TEXT, export: 'stop' },
    at: { type: INSTANT, label: 'Time', width: 140, export: 'at' },
    environment: { type: TEXT, label: 'Environment', width: 96, export: 'environment' },
    prompt: { type: TEXT, label: 'Prompt', least: 124, export: 'prompt' },
    ns: { type: TEXT },
    key: { type: TEXT },
    sessionId: { type: TEXT, label: 'Session', width: 124, export: 'session' },
    seq: { type: NUMBER, label: 'Event', width: 56, export: 'seq' },
    attempt: { type: NUMBER, label: 'Attempt', width: 60, export: 'attempt' },
    via: { type: TEXT, label: 'At', width: 84, export: 'via' },
    verdict: { type: choice(VERDICTS), label: 'Verdict', width: 124, export: 'verdict' },
    bypass: {
      type: nullable(choice(BYPASSES)),
      label: 'Bypass',
      width: 88,
      export: 'bypass',
    },
    code: { type: TEXT, label: 'Code', least: 110, export: 'code' },
    reason: { type: TEXT, label: 'Reason', least: 170, share: 2.5, export: 'reason' },
    agent: {
      type: TEXT,
      label: 'Progress',
      hint: 'The agent’s progress since the previous attempt',
      width: 130,
      isApart: true,
    },
  },
  shown: ['at', 'verdict', 'reason', 'agent', 'prompt', 'sessionId', 'attempt'],
  params: {
    environment: { kind: 'environment' },
    verdict: { kind: 'choice', values: VERDICTS },
    code: { kind: 'text', most: 120 },
    prompt: { kind: 'prompt' },
    version: { kind: 'version' },
  },
  grammar: {
    texts: ['prompt', 'env', 'code', 'check', 'runtime', 'session'],
    choices: {
      verdict: dashed(VERDICTS),
      bypass: dashed(BYPASSES),
      imported: ['yes', 'no'],
      demo: ['shown', 'only'],
      via: ['turn-end', 'structured-output', 'subagent-end', 'final'],
    },
    numbers: { version: parseVersion, attempt: parseCount, attempts: parseCount, at: parseInstant },
  },
  orders: {
    newest: { column: 'at', direction: 'desc', index: 'stops_project_id_at_id_idx' },
    oldest: { column: 'at', direction: 'asc', index: 'stops_project_id_at_id_idx' },
  },
  defaultOrder: 'newest',
  standardRange: '7d',
})
