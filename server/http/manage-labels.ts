import { z } from 'zod'
import { LABELS, SetLabelInput } from '@/server/labels/label-input.ts'
import { listLabels, setLabel } from '@/server/labels/labels.ts'
import { rowsAnswer, toRows } from './manage-action.ts'
import { managed } from './manage-gate.ts'
import { jsonResponse } from './problem.ts'

const PATH = '/api/manage/v1/sessions/{id}/labels'

const LabelRow = z.object({
  seq: z.int().describe('Sequence number of the decision; 0: the session.'),
  label: z.enum(LABELS),
  by: z.string(),
  at: z.int().describe('Epoch milliseconds.'),
})

const LABELS_ANSWER = rowsAnswer(LabelRow, {
  seq: 12,
  label: 'bad',
  by: 'Ana',
  at: 1_795_000_000_000,
})

export const LABEL_ENDPOINTS = [
  managed(
    {
      method: 'GET',
      path: PATH,
      group: 'Records',
      summary: 'List the labels of a session',
      scope: 'sessions:read',
      answers: { 200: LABELS_ANSWER },
    },
    async ({ scope, parameters: { id } }) => jsonResponse(toRows(await listLabels(scope, id))),
  ),
  managed(
    {
      method: 'PUT',
      path: PATH,
      group: 'Records',
      summary: 'Label a session, call or stop',
      description:
        'Sets or removes one label, and answers with all of them. A key with this scope never has `ingest`, so that an agent cannot praise its own sessions.',
      scope: 'labels:write',
      body: {
        schema: SetLabelInput.omit({ sessionId: true }).strict(),
        example: { seq: 12, label: 'bad' },
      },
      answers: { 200: LABELS_ANSWER },
    },
    async ({ scope, parameters: { id: sessionId }, body }) => {
      await setLabel(scope, { sessionId, ...body })
      return jsonResponse(toRows(await listLabels(scope, sessionId)))
    },
  ),
]
