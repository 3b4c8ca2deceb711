import { z } from 'zod'
import { DecideCallInput } from '@/server/call-approvals/call-approval-input.ts'
import {
  answerByKey,
  digestInput,
  loadSettledCalls,
  loadWaitingCalls,
} from '@/server/call-approvals/call-approvals.ts'
import {
  type CallApprovalFacts,
  findCallApproval,
} from '@/server/call-approvals/waiting-calls.sql.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { refuseCursor } from '@/server/platform/sql/keyset.ts'
import { managed } from './manage-gate.ts'
import { jsonResponse } from './problem.ts'

const At = z.int().describe('Epoch milliseconds.')

const Approval = z.object({
  approval: z.string(),
  environment: z.string(),
  session: z.string(),
  seq: z.int(),
  call_id: z.string(),
  tool: z.string(),
  prompt: z.string(),
  version: z.int().nullable().describe('Version in force; null: it was not published here.'),
  rules: z.array(z.string()).describe('Ids of the rules that require the approval.'),
  requested_at: At,
  waits_until: At,
  decision: z.enum(['approved', 'denied']).nullable(),
  decided_by: z.string().nullable(),
  decided_at: At.nullable(),
  note: z.string().nullable(),
  outcome: z.enum(['approved', 'denied', 'timed_out', 'unavailable', 'ended']).nullable(),
  outcome_at: At.nullable(),
  outcome_note: z.string().nullable(),
  args: z.unknown().describe('Arguments after redaction; null: they are not stored.'),
  input: z
    .string()
    .nullable()
    .describe('SHA-256 digest of `args`, which an answer must name; null: they are not stored.'),
})

const EXAMPLE_APPROVAL: z.infer<typeof Approval> = {
  approval: 'apr_01JB2Q3V4W5X6Y7Z8A9B0C1D2E_12',
  environment: 'dev',
  session: 'sess_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  seq: 12,
  call_id: 'call_1',
  tool: 'deploy',
  prompt: 'support/triage/answer',
  version: 3,
  rules: ['deploy-approval'],
  requested_at: 1_795_000_000_000,
  waits_until: 1_795_000_300_000,
  decision: null,
  decided_by: null,
  decided_at: null,
  note: null,
  outcome: null,
  outcome_at: null,
  outcome_note: null,
  args: { target: 'staging' },
  input: `sha256:${'0'.repeat(64)}`,
}

function toApproval(call: CallApprovalFacts): z.infer<typeof Approval> {
  const { environment, seq, tool, ns, key, decision, note, outcome, args } = call
  return {
    approval: call.id,
    environment,
    session: call.sessionId,
    seq,
    call_id: call.callId,
    tool,
    prompt: `${ns}/${key}`,
    version: call.configVersion,
    rules: [...call.rules],
    requested_at: call.requestedAt,
    waits_until: call.waitsUntil,
    decision,
    decided_by: call.decidedName,
    decided_at: call.decidedAt,
    note,
    outcome,
    outcome_at: call.outcomeAt,
    outcome_note: call.outcomeNote,
    args,
    input: digestInput(call),
  }
}

export const APPROVAL_ENDPOINTS = [
  managed(
    {
      method: 'GET',
      path: '/api/manage/v1/approvals',
      group: 'Records',
      summary: 'List call approvals',
      description:
        'Lists calls that wait for a decision, the longest waiting first, or the settled ones, newest first.',
      scope: 'sessions:read',
      query: z.object({
        state: z.enum(['waiting', 'settled']).default('waiting').describe('State of the calls.'),
        after: z.string().max(120).optional().describe('`next` of the previous page.'),
      }),
      answers: {
        200: {
          description: 'A page: at most 200 waiting calls, or 50 settled ones.',
          schema: z.object({ rows: z.array(Approval), next: z.string().nullable() }),
          example: { rows: [EXAMPLE_APPROVAL], next: null },
        },
      },
    },
    async ({ scope, query: { state, after } }) => {
      const { environment } = scope
      if (state === 'waiting') {
        // One page.
        if (after !== undefined) refuseCursor()
        const { calls } = await loadWaitingCalls(scope, environment)
        return jsonResponse({ rows: calls.map(toApproval), next: null })
      }
      const { calls, nextCursor } = await loadSettledCalls(scope, { environment }, after ?? null)
      return jsonResponse({ rows: calls.map(toApproval), next: nextCursor })
    },
  ),
  managed(
    {
      method: 'GET',
      path: '/api/manage/v1/approvals/{id}',
      group: 'Records',
      summary: 'Read a call approval',
      scope: 'sessions:read',
      answers: {
        200: { description: 'The call.', schema: Approval, example: EXAMPLE_APPROVAL },
      },
    },
    async ({ scope, parameters: { id } }) => {
      const call = await findCallApproval(scope.projectId, id)
      if (call === null || call.environment !== scope.environment) {
        throw new ServiceError('not_found', `There is no call approval ${id}.`)
      }
      return jsonResponse(toApproval(call))
    },
  ),
  managed(
    {
      method: 'POST',
      path: '/api/manage/v1/approvals/{id}/answer',
      group: 'Records',
      summary: 'Answer a call approval',
      description:
        'Approves or denies a waiting call of the environment, once. A key with this scope has no runtime, and expires within 90 days.',
      scope: 'approvals:answer',
      body: {
        schema: DecideCallInput.omit({ id: true }).strict(),
        example: { decision: 'denied', input: `sha256:${'0'.repeat(64)}`, note: 'Not on Fridays.' },
      },
      answers: {
        200: {
          description: 'The answer is stored; the runtime receives it signed.',
          schema: Approval,
          example: {
            ...EXAMPLE_APPROVAL,
            decision: 'denied',
            decided_by: 'key gate (sbx_ab12cd34), made by Ana',
            decided_at: 1_795_000_060_000,
            note: 'Not on Fridays.',
          },
        },
        409: { description: 'It was answered, no longer waits, or has other arguments.' },
      },
    },
    async ({ scope, parameters: { id }, body }) => {
      return jsonResponse(toApproval(await answerByKey(scope, { id, ...body })))
    },
  ),
]
