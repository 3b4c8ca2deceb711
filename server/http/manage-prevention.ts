import { ManagedPrevention, type PreventingChange } from '@signalbox/wire'
import { z } from 'zod'
import { DecisionInput, TakeInput } from '@/server/prevention/prevention-input.ts'
import type { FoundChange, PreventionRow } from '@/server/prevention/preventions.sql.ts'
import {
  cancelPrevention,
  requirePrevention,
  startPrevention,
  takeCandidate,
} from '@/server/prevention/preventions.ts'
import { managed } from './manage-gate.ts'
import { jsonResponse } from './problem.ts'

const ROOT = '/api/manage/v1'
const EXAMPLE: ManagedPrevention = {
  id: 'prv_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  session: 'sess_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  seq: 12,
  status: 'done',
  error: null,
  sessions: 299,
  sessions_read: 299,
  candidates: [
    {
      sentence: '`deploy` requires `run_tests`',
      evidence: 'Refuses nothing in 299 good sessions with 310 good calls.',
      outcome: 'denied',
      denies: 0,
      denied_sessions: [],
      also_stops: 4,
      faults: [],
      edit: { kind: 'add_policy' },
    },
  ],
  near_misses: [],
  no_answer: null,
  created_at: 1_795_000_000_000,
  finished_at: 1_795_000_004_000,
}

function toChange(found: FoundChange): PreventingChange {
  const { sentence, evidence, outcome, denies, denied, alsoStops, faults = [], edit } = found
  return {
    ...{ sentence, evidence, outcome, denies, edit },
    ...{ denied_sessions: [...denied], also_stops: alsoStops, faults: [...faults] },
  }
}

function toPrevention(row: PreventionRow): ManagedPrevention {
  const { id, seq, status, error, findings } = row
  return {
    ...{ id, seq, status, error },
    session: row.sessionId,
    sessions: row.sessionsFound,
    sessions_read: row.sessionsRead,
    candidates: findings?.candidates.map(toChange) ?? null,
    near_misses: findings?.nearMisses.map(toChange) ?? null,
    no_answer: findings?.noAnswer ?? null,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
  }
}

export const PREVENTION_ENDPOINTS = [
  managed(
    {
      method: 'POST',
      path: `${ROOT}/sessions/{id}/prevention`,
      group: 'Records',
      summary: 'Search for a change that prevents a call or stop',
      description:
        'Searches for the smallest change to the rules that would have refused it and refuses nothing in good sessions. Nothing changes by itself.',
      scope: 'publish',
      body: { schema: DecisionInput.omit({ sessionId: true }).strict(), example: { seq: 12 } },
      answers: {
        201: {
          description: 'The search, or one for the same decision that is not over.',
          schema: z.object({ id: z.string() }),
          example: { id: EXAMPLE.id },
        },
      },
    },
    async ({ scope, parameters: { id: sessionId }, body }) => {
      const started = await startPrevention(scope, { sessionId, ...body })
      return jsonResponse(started, { status: 201 })
    },
  ),
  managed(
    {
      method: 'GET',
      path: `${ROOT}/preventions/{id}`,
      group: 'Records',
      summary: 'Read a search for a change',
      scope: 'sessions:read',
      answers: { 200: { description: 'The search.', schema: ManagedPrevention, example: EXAMPLE } },
    },
    async ({ scope, parameters: { id } }) =>
      jsonResponse(toPrevention(await requirePrevention(scope, id))),
  ),
  managed(
    {
      method: 'POST',
      path: `${ROOT}/preventions/{id}/cancel`,
      group: 'Records',
      summary: 'Cancel a search for a change',
      scope: 'publish',
      answers: {
        200: {
          description: 'It is over.',
          schema: z.object({ cancelled: z.boolean().describe('False: it was over before.') }),
          example: { cancelled: true },
        },
      },
    },
    async ({ scope, parameters: { id } }) => {
      const { ok } = await cancelPrevention(scope, id)
      return jsonResponse({ cancelled: ok })
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${ROOT}/preventions/{id}/take`,
      group: 'Records',
      summary: 'Take a change that a search found',
      description:
        'Makes the change to the draft, and pins the call or stop as a case that must be refused.',
      scope: 'publish',
      body: {
        schema: TakeInput.omit({ id: true }).strict(),
        example: { candidate: 1, mode: 'shadow' },
      },
      answers: {
        200: {
          description: 'The draft has the change.',
          schema: z.object({
            ns: z.string(),
            key: z.string(),
            pinned: z
              .string()
              .nullable()
              .describe(
                'Id of the pinned case; null: the search is about a session that no agent ran.',
              ),
          }),
          example: {
            ns: 'support/triage',
            key: 'answer',
            pinned: 'case_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
          },
        },
        409: {
          description: 'The draft has errors, has the change already, or was saved meanwhile.',
        },
      },
    },
    async ({ scope, parameters: { id }, body }) =>
      jsonResponse(await takeCandidate(scope, { id, ...body })),
  ),
]
