import { z } from 'zod'
import { StreamFormInput, StreamId, StreamInput } from '@/server/webhook-streams/stream-input.ts'
import {
  createStream,
  listWebhookStreams,
  readStreamSecret,
  removeStream,
  resumeStream,
  tryStream,
  updateStream,
} from '@/server/webhook-streams/streams.ts'
import { action, rowsAnswer, toRows } from './manage-action.ts'

const ROOT = '/api/manage/v1/webhook-streams'
const ONE = `${ROOT}/{id}` as const
const Id = z.object({ id: StreamId })
const At = z.int().nullable()
const To = z.string().describe('Host of the receiver. The path may be a secret.')

const Stream = z.object({
  id: z.string(),
  name: z.string(),
  to: To,
  digest: z.string().describe('SHA-256 of `webhook`, a space and the address, hexadecimal.'),
  audit: z.boolean(),
  decisions: z.boolean(),
  environment: z.string().nullable(),
  number: z.int().describe('Number of the newest record that the receiver accepted; 0: none.'),
  skipped: z
    .int()
    .describe(
      'Decisions that retention removed before they had a number; as many numbers will be missing.',
    ),
  attempts: z.int().describe('Failed attempts to send the next batch.'),
  next_at: At.describe('Epoch milliseconds of the next attempt; null: none is planned.'),
  last: z.string().nullable().describe('Result of the newest attempt; null: there was none.'),
  delivered_at: At.describe('Epoch milliseconds; null: nothing was accepted yet.'),
  aside_at: At.describe('Epoch milliseconds at which the server gave up; null: it is sent.'),
})

const FIELDS = {
  name: 'Archive',
  audit: false,
  decisions: true,
  environment: 'dev',
} as const

const EXAMPLE = { ...FIELDS, url: 'https://archive.example.com/signalbox' }

const Made = {
  status: 201,
  description: 'The stream.',
  schema: z.object({ id: z.string() }),
  example: { id: 'whs_01JB2Q3V4W5X6Y7Z8A9B0C1D2E' },
} as const

const TAKEN = { 409: { description: 'Another stream has this name.' } }

export const STREAM_ENDPOINTS = [
  action({
    method: 'GET',
    path: ROOT,
    summary: 'List webhook streams',
    description: 'Lists the streams of what the key may read itself.',
    input: z.object({}),
    answer: rowsAnswer(Stream, {
      ...Made.example,
      ...FIELDS,
      to: 'archive.example.com',
      digest: '4f'.repeat(32),
      number: 1200,
      skipped: 0,
      attempts: 0,
      next_at: null,
      last: 'delivered',
      delivered_at: 1_795_000_000_000,
      aside_at: null,
    }),
    run: async (actor) => toRows(await listWebhookStreams(actor)),
  }),
  action({
    method: 'POST',
    path: ROOT,
    summary: 'Create a webhook stream',
    description: 'The stream begins with what happens from now on.',
    input: StreamInput,
    whole: StreamFormInput,
    example: EXAMPLE,
    refusals: TAKEN,
    answer: Made,
    run: createStream,
  }),
  action({
    method: 'PUT',
    path: ONE,
    summary: 'Change a webhook stream',
    description:
      'Its numbers continue. A source that is changed begins with what happens from now on.',
    input: StreamInput.extend(Id.shape),
    whole: StreamFormInput.and(Id),
    inPath: { id: 'id' },
    example: EXAMPLE,
    refusals: TAKEN,
    run: (actor, { id, ...stream }) => updateStream(actor, id, stream),
  }),
  action({
    method: 'DELETE',
    path: ONE,
    summary: 'Remove a webhook stream',
    input: Id,
    inPath: { id: 'id' },
    run: (actor, { id }) => removeStream(actor, id),
  }),
  action({
    method: 'POST',
    path: `${ONE}/resume`,
    summary: 'Resume a webhook stream',
    description: 'Sends again at once, from the first record that did not arrive.',
    input: Id,
    inPath: { id: 'id' },
    run: (actor, { id }) => resumeStream(actor, id),
  }),
  action({
    method: 'POST',
    path: `${ONE}/test`,
    summary: 'Send a test message to the receiver of a webhook stream',
    id: 'test-a-webhook-stream',
    input: Id,
    inPath: { id: 'id' },
    answer: {
      status: 200,
      description: 'The result.',
      schema: z.object({ to: To, why: z.string().nullable() }),
      example: { to: 'archive.example.com', why: null },
    },
    run: (actor, { id }) => tryStream(actor, id),
  }),
  action({
    method: 'POST',
    path: `${ONE}/secret`,
    summary: 'Read the secret that signs a webhook stream',
    id: 'read-the-secret-of-a-webhook-stream',
    description: 'Recorded in the audit log.',
    input: Id,
    inPath: { id: 'id' },
    answer: {
      status: 200,
      description: 'The secret.',
      schema: z.object({ secret: z.string() }),
      example: { secret: '…' },
    },
    run: (actor, { id }) => readStreamSecret(actor, id),
  }),
]
