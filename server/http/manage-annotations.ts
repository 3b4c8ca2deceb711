import { z } from 'zod'
import {
  AnnotationIdInput,
  EditAnnotationInput,
  SessionIdInput,
  WriteAnnotationInput,
} from '@/server/annotations/annotation-input.ts'
import {
  editAnnotation,
  listSessionNotes,
  loadAnnotatedSession,
  removeAnyAnnotation,
  writeAnnotation,
} from '@/server/annotations/annotations.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { sessionList } from '@/server/sessions/session-filter.sql.ts'
import { action, rowsAnswer, toRows } from './manage-action.ts'

const ROOT = '/api/manage/v1'
const OF_SESSION = `${ROOT}/sessions/{id}/annotations`
const At = z.int().describe('Epoch milliseconds.')

const Annotation = z.object({
  id: z.string(),
  seq: z.int().nullable().describe('Sequence number of the event; null: the session.'),
  text: z.string(),
  author: z.string(),
  at: At,
  edited_at: At.nullable(),
})

async function requireOwnSession(actor: ProjectScope, id: string): Promise<void> {
  const environment = actor.key?.environment
  if ((await sessionList.find(actor, { environment }, id)) !== null) return
  throw new ServiceError('not_found', `There is no session ${id}.`)
}

async function requireOwnAnnotation(actor: ProjectScope, id: string): Promise<void> {
  await requireOwnSession(actor, await loadAnnotatedSession(actor, id))
}

export const ANNOTATION_ENDPOINTS = [
  action({
    method: 'GET',
    path: OF_SESSION,
    summary: 'List the annotations of a session',
    input: SessionIdInput,
    inPath: { id: 'sessionId' },
    answer: rowsAnswer(Annotation, {
      id: 'ann_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
      seq: 12,
      text: 'Reported upstream.',
      author: 'Ana',
      at: 1_795_000_000_000,
      edited_at: null,
    }),
    run: async (actor, { sessionId }) => {
      await requireOwnSession(actor, sessionId)
      return toRows(await listSessionNotes(actor, sessionId))
    },
  }),
  action({
    method: 'POST',
    path: OF_SESSION,
    summary: 'Write an annotation',
    input: WriteAnnotationInput,
    inPath: { id: 'sessionId' },
    example: { seq: null, text: 'Reported upstream.' },
    answer: {
      status: 201,
      description: 'The annotation.',
      schema: z.object({ id: z.string() }),
      example: { id: 'ann_01JB2Q3V4W5X6Y7Z8A9B0C1D2E' },
    },
    run: async (actor, input) => {
      await requireOwnSession(actor, input.sessionId)
      return await writeAnnotation(actor, input)
    },
  }),
  action({
    method: 'PATCH',
    path: `${ROOT}/annotations/{id}`,
    summary: 'Change an annotation',
    description: 'Changes one that the same key wrote.',
    input: EditAnnotationInput,
    inPath: { id: 'id' },
    example: { text: 'Fixed upstream.' },
    run: async (actor, { id, text }) => {
      await requireOwnAnnotation(actor, id)
      await editAnnotation(actor, id, text)
    },
  }),
  action({
    method: 'DELETE',
    path: `${ROOT}/annotations/{id}`,
    summary: 'Remove an annotation',
    input: AnnotationIdInput,
    inPath: { id: 'id' },
    run: async (actor, { id }) => {
      await requireOwnAnnotation(actor, id)
      await removeAnyAnnotation(actor, id)
    },
  }),
]
