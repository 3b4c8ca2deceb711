import 'server-only'
import type { FilterOf, RowOf } from '@/server/platform/list/define-list.ts'
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
import { STOPS } from './stops.list.ts'

export type StopFacts = RowOf<typeof STOPS>
export type StopFilter = FilterOf<typeof STOPS>
export type StopVerdictName = StopFacts['verdict']

const PROMPT = "ns || '/' || key"

/** Omits final verifications unless the filter names a kind of attempt. */
/** A check that only records bypasses nothing (specs/analytics.md). */
function findVerdict(verdict: string, bind: (value: unknown) => string): string {
  const recorded = verdict === 'bypassed' ? " AND code <> 'stop.would_block'" : ''
  return `verdict = ${bind(verdict)}${recorded}`
}

export const stopList = sqlList(STOPS, {
  tables: 'stops',
  row: 'stops',
  columns: {
    id: 'id',
    at: epochMs('at'),
    environment: 'environment',
    prompt: PROMPT,
    ns: 'ns',
    key: 'key',
    sessionId: 'session_id',
    seq: 'seq',
    attempt: 'attempt',
    via: 'via',
    verdict: 'verdict',
    bypass: 'bypass',
    code: 'code',
    reason: 'reason',
  },
  params: {
    environment: (name, bind) => `environment = ${bind(name)}`,
    verdict: findVerdict,
    code: (code, bind) => `code = ${bind(code)}`,
    prompt: writePromptTerm,
    version: writeVersionTerm,
  },
  fields: {
    texts: { code: 'code', check: 'checker', prompt: PROMPT, env: 'environment', ...OF_SESSION },
    choices: {
      verdict: (verdict, bind) => findVerdict(verdict.replaceAll('-', '_'), bind),
      bypass: (bypass, bind) => `bypass = ${bind(bypass.replaceAll('-', '_'))}`,
      imported: importedTerm('session_id'),
      demo: demoTerm('session_id'),
      via: (via, bind) => `via = ${bind(via.replaceAll('-', '_'))}`,
    },
    numbers: {
      version: VERSION_OF_DIGEST,
      attempt: 'attempt',
      attempts: 'until',
      at: epochMs('at'),
    },
    row: `reason || ' ' || code || ' ' || ${PROMPT}`,
  },
  orders: { newest: 'stops.at', oldest: 'stops.at' },
  range: 'at',
  also: ({ terms = [] }) => {
    const attempts = terms.some(({ field }) => field === 'via') ? 'true' : "via <> 'final'"
    return `${attempts} AND ${withoutDemo('session_id')({ terms })}`
  },
})

export const STOP_COLUMNS = stopList.columns
