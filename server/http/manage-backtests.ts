// A run counts what agents did, and a pinned case is what one did, so a key sees those of its environment only (specs/backtest.md).
import { VersionNumber } from '@signalbox/wire'
import { z } from 'zod'
import { CaseNote, PlainSampleInput, Verdict } from '@/server/backtests/backtest-input.ts'
import type { BacktestRow, CaseResult, RuleChanges } from '@/server/backtests/backtest-list.sql.ts'
import { loadBacktests, loadBacktestView } from '@/server/backtests/backtests.ts'
import type { PinnedCase } from '@/server/backtests/pinned-case-list.sql.ts'
import { changeCase, unpinCase } from '@/server/backtests/pinned-cases.ts'
import { cancelBacktest, startBacktest } from '@/server/backtests/start-backtest.ts'
import { EXAMPLE_DIGEST } from './examples.ts'
import { managed } from './manage-gate.ts'
import { preconditionFailed, readPrecondition } from './manage-tags.ts'
import { jsonResponse } from './problem.ts'

const CONFIG = '/api/manage/v1/configs/{ns}/{key}'
const BACKTEST = '/api/manage/v1/backtests/{id}'
const CASE = '/api/manage/v1/cases/{id}'

const At = z.int().describe('Epoch milliseconds.')
const Name = z.string().nullable().describe('Name of the user or key; null if deleted.')
const Count = z.int()

const Backtest = z.object({
  id: z.string(),
  prompt: z.string(),
  version: z.int().nullable().describe('Tested version; null: a draft.'),
  digest: z.string().describe('Digest of the tested text.'),
  sample: z.looseObject({ kind: z.string() }),
  status: z.enum(['queued', 'running', 'done', 'cancelled', 'failed']),
  error: z.string().nullable().describe('Why it failed; null: it did not.'),
  sessions: Count.describe('Sessions of the sample.'),
  sessions_done: Count,
  cases: Count.describe('Pinned cases, of every environment.'),
  cases_done: Count,
  would_deny: Count,
  would_allow: Count,
  would_block: Count,
  would_release: Count,
  unchanged: Count,
  cannot_replay: Count,
  diverged: Count.describe('Sessions in which the agent would have noticed a difference.'),
  author: Name,
  created_at: At,
  started_at: At.nullable(),
  finished_at: At.nullable(),
})

const EXAMPLE_BACKTEST: z.infer<typeof Backtest> = {
  id: 'bkt_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  prompt: 'support/triage/answer',
  version: null,
  digest: EXAMPLE_DIGEST,
  sample: { kind: 'last', sessions: 50, environment: 'dev' },
  status: 'done',
  error: null,
  sessions: 50,
  sessions_done: 50,
  cases: 3,
  cases_done: 3,
  would_deny: 6,
  would_allow: 0,
  would_block: 0,
  would_release: 0,
  unchanged: 412,
  cannot_replay: 0,
  diverged: 2,
  author: 'key ci (sbx_ab12cd34)',
  created_at: 1_795_000_000_000,
  started_at: 1_795_000_000_100,
  finished_at: 1_795_000_002_000,
}

function toBacktest(row: BacktestRow): z.infer<typeof Backtest> {
  const { id, ns, key, version, digest, sample, status, error, sessions, cases } = row
  return {
    ...{ id, prompt: `${ns}/${key}`, version, digest, sample: { ...sample }, status, error },
    ...{ sessions, sessions_done: row.sessionsDone, cases, cases_done: row.casesDone },
    would_deny: row.wouldDeny,
    would_allow: row.wouldAllow,
    would_block: row.wouldBlock,
    would_release: row.wouldRelease,
    unchanged: row.unchanged,
    cannot_replay: row.cannotReplay,
    diverged: row.diverged,
    author: row.author,
    created_at: row.createdAt,
    started_at: row.startedAt,
    finished_at: row.finishedAt,
  }
}

const Rule = z.object({
  rule: z.string().nullable().describe('Id of the rule; null: none decides.'),
  class: z.enum(['would_deny', 'would_allow', 'would_block', 'would_release', 'otherwise']),
  changes: Count,
  sessions: Count,
})

const Result = z.object({
  case: z.string(),
  name: z.string(),
  expected: Verdict,
  verdict: z
    .enum(['allowed', 'denied', 'blocked', 'unknown'])
    .nullable()
    .describe('unknown: it cannot be replayed; null: not yet.'),
})

const Report = Backtest.extend({
  rules: z.array(Rule).describe('Most changes first.'),
  results: z.array(Result).describe('Pinned cases of the environment, unexpected ones first.'),
})

const toRule = ({ rule, class: kind, changes, sessions }: RuleChanges): z.infer<typeof Rule> => ({
  rule,
  class: kind,
  changes,
  sessions,
})

const toResult = ({ caseId, name, expected, verdict }: CaseResult): z.infer<typeof Result> => ({
  case: caseId,
  name,
  expected,
  verdict,
})

const Case = z.object({
  id: z.string(),
  session: z.string(),
  seq: z.int(),
  kind: z.enum(['call', 'stop']),
  name: z.string().describe('Sentence of the recorded decision.'),
  recorded: Verdict,
  expected: Verdict,
  note: z.string().nullable(),
  author: Name,
  created_at: At,
})

const EXAMPLE_CASE: z.infer<typeof Case> = {
  id: 'case_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  session: 'sess_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  seq: 12,
  kind: 'call',
  name: 'deploy was denied: run test first.',
  recorded: 'denied',
  expected: 'denied',
  note: null,
  author: 'Ana',
  created_at: 1_795_000_000_000,
}

function toCase(row: PinnedCase): z.infer<typeof Case> {
  const { id, sessionId: session, seq, kind, name, recorded, expected, note, author } = row
  const at = row.createdAt
  return { id, session, seq, kind, name, recorded, expected, note, author, created_at: at }
}

const toPage = (rows: readonly object[]) => jsonResponse({ rows, next: null })

export const BACKTEST_ENDPOINTS = [
  managed(
    {
      method: 'GET',
      path: `${CONFIG}/backtests`,
      group: 'Configs',
      summary: 'List backtests',
      description: 'Lists the runs that keys of the environment started, newest first.',
      scope: 'publish',
      answers: {
        200: {
          description: 'The newest 20.',
          schema: z.object({ rows: z.array(Backtest), next: z.null() }),
          example: { rows: [EXAMPLE_BACKTEST], next: null },
        },
      },
    },
    async ({ scope, parameters: prompt }) =>
      toPage((await loadBacktests(scope, prompt)).runs.map(toBacktest)),
  ),
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/backtests`,
      group: 'Configs',
      summary: 'Start a backtest',
      description:
        'Replays recorded sessions of the environment, and every pinned case, under a version or under the draft in `If-Match`.',
      scope: 'publish',
      headers: [
        {
          name: 'If-Match',
          description: 'Tag of the draft that you read; not used with `version`.',
          example: '"drf_01JB2Q3V4W.7"',
        },
      ],
      body: {
        schema: z.strictObject({
          sample: PlainSampleInput,
          version: VersionNumber.describe('Absent: the draft in `If-Match`.').optional(),
        }),
        example: { sample: { kind: 'last', sessions: 50 } },
      },
      answers: {
        201: {
          description: 'The run, which is queued.',
          schema: z.object({ id: z.string() }),
          example: { id: EXAMPLE_BACKTEST.id },
        },
        412: { description: 'The draft changed meanwhile.' },
        428: { description: 'Neither `version` nor If-Match is given.' },
      },
    },
    async ({ scope, parameters: prompt, request, body: { sample, version } }) => {
      const started = await startBacktest(scope, {
        ...prompt,
        sample,
        subject:
          version === undefined
            ? { kind: 'draft', id: '', revision: 0, ...readPrecondition(request.headers) }
            : { kind: 'version', number: version },
      })
      return started.ok
        ? jsonResponse({ id: started.id }, { status: 201 })
        : preconditionFailed(
            'The draft was saved, published or discarded meanwhile. Read it again.',
          )
    },
  ),
  managed(
    {
      method: 'GET',
      path: BACKTEST,
      group: 'Configs',
      summary: 'Read a backtest',
      description: 'Numbers of a running one cover what it has replayed so far.',
      scope: 'publish',
      answers: {
        200: {
          description: 'Its results.',
          schema: Report,
          example: {
            ...EXAMPLE_BACKTEST,
            rules: [{ rule: 'order', class: 'would_deny', changes: 6, sessions: 2 }],
            results: [
              {
                case: EXAMPLE_CASE.id,
                name: EXAMPLE_CASE.name,
                expected: 'denied',
                verdict: 'denied',
              },
            ],
          },
        },
      },
    },
    async ({ scope, parameters: { id } }) => {
      const view = await loadBacktestView(scope, id)
      return jsonResponse({
        ...toBacktest(view),
        rules: view.groups.map(toRule),
        results: view.caseResults.map(toResult),
      })
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${BACKTEST}/cancel`,
      group: 'Configs',
      summary: 'Cancel a backtest',
      description: 'Keeps the results so far.',
      scope: 'publish',
      answers: {
        200: {
          description: 'Done.',
          schema: z.object({ cancelled: z.boolean().describe('False: it was over already.') }),
          example: { cancelled: true },
        },
      },
    },
    async ({ scope, parameters: { id } }) =>
      jsonResponse({ cancelled: (await cancelBacktest(scope, id)).ok }),
  ),
  managed(
    {
      method: 'GET',
      path: `${CONFIG}/cases`,
      group: 'Configs',
      summary: 'List pinned cases',
      description: 'Lists those of the environment, newest first.',
      scope: 'publish',
      answers: {
        200: {
          description: 'The newest 200.',
          schema: z.object({ rows: z.array(Case), next: z.null() }),
          example: { rows: [EXAMPLE_CASE], next: null },
        },
      },
    },
    async ({ scope, parameters: prompt }) =>
      toPage((await loadBacktests(scope, prompt)).cases.map(toCase)),
  ),
  managed(
    {
      method: 'PATCH',
      path: CASE,
      group: 'Configs',
      summary: 'Change a pinned case',
      scope: 'publish',
      body: {
        schema: z.strictObject({
          expected: Verdict.describe('Absent: unchanged.').optional(),
          note: CaseNote.nullable().describe('Absent: unchanged; null removes it.').optional(),
        }),
        example: { expected: 'allowed', note: 'The tool is safe now.' },
      },
      answers: { 204: { description: 'Done.' } },
    },
    async ({ scope, parameters: { id }, body }) => {
      await changeCase(scope, { id, ...body })
      return new Response(null, { status: 204 })
    },
  ),
  managed(
    {
      method: 'DELETE',
      path: CASE,
      group: 'Configs',
      summary: 'Unpin a case',
      description: 'Deletes the case and its copy of the recorded events.',
      scope: 'publish',
      answers: { 204: { description: 'Done.' } },
    },
    async ({ scope, parameters: { id } }) => {
      await unpinCase(scope, id)
      return new Response(null, { status: 204 })
    },
  ),
]
