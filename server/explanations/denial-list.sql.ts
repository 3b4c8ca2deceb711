import 'server-only'
import type { RowOf } from '@/server/platform/list/define-list.ts'
import { epochMs } from '@/server/platform/sql/rows.ts'
import { sqlList } from '@/server/platform/sql/sql-list.ts'
import { writePromptTerm, writeVersionTerm } from '@/server/sessions/prompt-terms.sql.ts'
import {
  demoTerm,
  importedTerm,
  OF_SESSION,
  VERSION_OF_DIGEST,
  withoutDemo,
} from '@/server/sessions/recorded-fields.sql.ts'
import { DENIALS } from './denials.list.ts'

export type DenialFacts = RowOf<typeof DENIALS>

const PROMPT = "ns || '/' || key"

export const denialList = sqlList(DENIALS, {
  tables: 'denials',
  row: 'denials',
  columns: {
    id: 'id',
    at: epochMs('at'),
    environment: 'environment',
    prompt: PROMPT,
    ns: 'ns',
    key: 'key',
    sessionId: 'session_id',
    seq: 'seq',
    tool: 'tool',
    decision: 'decision',
    rule: 'rule',
    code: 'code',
    reason: 'reason',
  },
  params: {
    environment: (name, bind) => `environment = ${bind(name)}`,
    rule: (rule, bind) => `rule = ${bind(rule)}`,
    tool: (tool, bind) => `tool = ${bind(tool)}`,
    decision: (decision, bind) => `decision = ${bind(decision)}`,
    prompt: writePromptTerm,
    version: writeVersionTerm,
  },
  fields: {
    texts: {
      tool: 'tool',
      rule: 'rule',
      code: 'code',
      prompt: PROMPT,
      env: 'environment',
      ...OF_SESSION,
    },
    choices: {
      decision: (decision, bind) => `decision = ${bind(decision)}`,
      imported: importedTerm('session_id'),
      demo: demoTerm('session_id'),
      class: (name, bind) => `reason_class = ${bind(name.replaceAll('-', '_'))}`,
    },
    numbers: { version: VERSION_OF_DIGEST, at: epochMs('at') },
    row: `reason || ' ' || code || ' ' || tool || ' ' || rule || ' ' || ${PROMPT}`,
  },
  orders: { newest: 'denials.at', oldest: 'denials.at' },
  range: 'at',
  also: withoutDemo('session_id'),
})
