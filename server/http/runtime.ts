// /api/runtime/v1: requests of runtimes (specs/data-plane.md). scripts/serve.mjs handles them before Next sees them.
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import {
  AwaitAnswerRequest,
  AwaitAnswerResponse,
  BundleV1,
  EventsResponse,
  HeartbeatRequest,
  HeartbeatResponse,
  HeartbeatsRequest,
  HeartbeatsResponse,
  KeysResponse,
  RegisterRequest,
  RegisterResponse,
  RevisionRequest,
  RevisionResponse,
} from '@signalbox/wire'
import type { Context } from 'hono'
import { z } from 'zod'
import { bodyFor, loadCurrentBundle } from '@/server/bundles/bundles.ts'
import { keyRecords } from '@/server/bundles/key-records.ts'
import { surpassRevision } from '@/server/bundles/surpass-revision.ts'
import { awaitAnswer } from '@/server/call-approvals/await-answer.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { recordHeartbeat, registerRuntime } from '@/server/runtimes/runtimes.ts'
import { signOrders } from '@/server/session-orders/sign-orders.ts'
import { admitRegistration } from './admission.ts'
import { readRequestedParts, streamConfig } from './config-stream.ts'
import { EXAMPLE_DIGEST } from './examples.ts'
import { storeEvents } from './ingest-events.ts'
import { nodeResponse } from './node-response.ts'
import { operation } from './operation.ts'
import { jsonResponse } from './problem.ts'

const AT = 1_795_000_000_000
const RUNTIME_ID = 'rt_01JB2Q3V4W5X6Y7Z8A9B0C1D2E'

const EXAMPLE_HEARTBEAT = {
  runtime_id: RUNTIME_ID,
  now: AT,
  applied: { revision: 12, digest: EXAMPLE_DIGEST, source: 'server' },
  rejected: null,
  live_sessions: 2,
  spooled_events: 0,
}

const EXAMPLE_BUNDLE = {
  bundle_version: 1,
  project: 'default',
  environment: 'dev',
  revision: 12,
  created_at: AT,
  configs: [
    {
      ns: 'support/triage',
      key: 'answer',
      version: 3,
      digest: EXAMPLE_DIGEST,
      document: { schema_version: 1, ns: 'support/triage', key: 'answer' },
    },
  ],
}

/** Answers 304 when the sender already has it (RFC 9110 §13.1.2). `etag` in its quotes. */
function taggedResponse(
  context: Context,
  body: string,
  tags: { readonly etag: string } & Readonly<Record<string, string>>,
): Response {
  const known = context.req.raw.headers.get('if-none-match')?.split(',') ?? []
  const isKnown = known.some((tag) => tag.trim().replace(/^W\//, '') === tags.etag)
  const headers = {
    ...tags,
    'cache-control': 'private, no-cache',
    ...(isKnown ? {} : { 'content-type': 'application/json; charset=utf-8' }),
  }
  return fleetResponse(context, {
    status: isKnown ? 304 : 200,
    headers,
    body: isKnown ? null : body,
  })
}

interface FleetAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

function fleetResponse(context: Context, { status, headers, body }: FleetAnswer): Response {
  const outgoing = nodeResponse(context)
  if (outgoing === null || context.req.method === 'HEAD')
    return new Response(body, { status, headers })
  // Stated, because the compressor passes short bodies as they are.
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
  outgoing.writeHead(status, { ...headers, ...length })
  outgoing.end(body)
  return RESPONSE_ALREADY_SENT
}

function fleetJson(context: Context, body: object): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return fleetResponse(context, { status: 200, headers, body: JSON.stringify(body) })
}

/** Rejects with `not_found` for an unknown runtime. */
export async function answerHeartbeat(
  scope: KeyScope<'ingest'>,
  heartbeat: HeartbeatRequest,
): Promise<HeartbeatResponse> {
  const answer = await answerKnown(scope, heartbeat)
  if (answer !== null) return answer
  throw new ServiceError('not_found', 'This runtime is not known here. Register it first.')
}

/** Null: the runtime is not known here. */
async function answerKnown(
  scope: KeyScope<'ingest'>,
  heartbeat: HeartbeatRequest,
): Promise<HeartbeatResponse | null> {
  const recorded = await recordHeartbeat(scope, heartbeat)
  if (recorded === null) return null
  const { revision, keys, orders, serverTime } = recorded
  return {
    desired_revision: revision,
    server_time: serverTime,
    keys,
    orders: orders.length === 0 ? [] : await signOrders(scope.projectId, orders),
  }
}

export const RUNTIME_ENDPOINTS = [
  operation(
    {
      method: 'GET',
      path: '/api/runtime/v1/config',
      group: 'Runtimes',
      summary: 'Read the signed bundle',
      description:
        'Returns all released configs of the key’s environment, as the exact text that was signed. Use If-None-Match to avoid reading it again.',
      scope: 'read',
      headers: [
        {
          name: 'If-None-Match',
          description: 'The tag of the bundle that you have.',
          example: `"${EXAMPLE_DIGEST}"`,
        },
      ],
      answers: {
        200: {
          description: 'The bundle.',
          schema: BundleV1,
          example: EXAMPLE_BUNDLE,
          headers: [
            { name: 'ETag', description: 'Digest of the bundle.', example: `"${EXAMPLE_DIGEST}"` },
            { name: 'Signalbox-Revision', description: 'Its revision; only grows.', example: '12' },
            {
              name: 'Signalbox-Signature',
              description: 'Ed25519 over the body, base64url.',
              example: 'pV3l-Zx0',
            },
          ],
        },
        304: { description: 'You have it.' },
      },
    },
    async ({ context, scope, request }) => {
      const bundle = await loadCurrentBundle(scope)
      const { digest, body, signature } = bodyFor(bundle, readRequestedParts(request))
      return taggedResponse(context, body, {
        etag: `"${digest}"`,
        'signalbox-revision': String(bundle.revision),
        'signalbox-signature': signature,
      })
    },
  ),
  operation(
    {
      method: 'GET',
      path: '/api/runtime/v1/config/stream',
      group: 'Runtimes',
      summary: 'Stream new revisions',
      id: 'be-told-of-new-revisions',
      description:
        'Server-sent events: `revision` at connect and on every change, and a comment every 10 s. With `push=bundle`, a change is sent as the event `bundle` instead: the answer of `GET config` as JSON on one line. Events may be lost, so keep polling.',
      scope: 'read',
      neverInvalid: true,
      query: z.object({
        push: z
          .string()
          .exactOptional()
          .describe(
            '`bundle`: push the bundles themselves. Absent, or any other value: only announce new revisions.',
          ),
        parts: z
          .string()
          .exactOptional()
          .describe('Optional parts of a pushed bundle that you read: `candidate,shadow,tighten`.'),
      }),
      answers: {
        200: {
          description: 'A stream that stays open.',
          contentType: 'text/event-stream',
          schema: z.string(),
          example: `event: revision\nid: 12\ndata: {"revision":12,"digest":"${EXAMPLE_DIGEST}"}\n\n`,
        },
      },
    },
    streamConfig,
  ),
  operation(
    {
      method: 'GET',
      path: '/api/runtime/v1/keys',
      group: 'Runtimes',
      summary: 'Read the records of signing keys',
      description:
        'Each record states that one key follows another, and is signed by both. Runtimes follow them from the key that they trust; read them again when `keys` in the answer to a heartbeat has another digest.',
      scope: 'read',
      headers: [
        {
          name: 'If-None-Match',
          description: 'The tag of the records that you have.',
          example: `"${EXAMPLE_DIGEST}"`,
        },
      ],
      answers: {
        200: {
          description: 'The records, oldest first.',
          schema: KeysResponse,
          example: {
            records: [
              {
                text: '{"created_at":1795000000000,"key_record_version":1,"next":"7XWZ2yLhQm0zN1rXg2fI9o8s6cVYp4T1bEw3uKdJa5M","previous":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","project":"default"}',
                by_previous: 'pV3l-Zx0',
                by_next: 'a9Qk_7Lm',
              },
            ],
          },
          headers: [
            { name: 'ETag', description: 'Digest of the answer.', example: `"${EXAMPLE_DIGEST}"` },
          ],
        },
        304: { description: 'You have them.' },
      },
    },
    async ({ context, scope }) => {
      const { text, digest } = await keyRecords(scope.projectId)
      return taggedResponse(context, text, { etag: `"${digest}"` })
    },
  ),
  operation(
    {
      method: 'POST',
      path: '/api/runtime/v1/register',
      group: 'Runtimes',
      summary: 'Register a runtime',
      description:
        'Registers a process with its prompts and capabilities. The answer contains the key to pin.',
      scope: 'ingest',
      body: {
        schema: RegisterRequest,
        example: {
          name: 'worker-1',
          sdk_version: '0.1.0',
          harness: { name: 'claude-code', version: '2.1.0' },
          prompts: ['support/triage/answer'],
          capabilities: {
            policies: ['expression'],
            feedback_providers: ['static'],
            checkers: ['plan'],
          },
          posture: 'last_known_good',
          now: AT,
        },
      },
      answers: {
        200: {
          description: 'The id of the runtime, and the polling interval.',
          schema: RegisterResponse,
          example: {
            runtime_id: RUNTIME_ID,
            project: 'default',
            environment: 'dev',
            public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            server_time: AT,
            poll_seconds: 15,
            heartbeat_seconds: 30,
          },
        },
      },
    },
    async ({ scope, body }) => jsonResponse(await registerRuntime(scope, body)),
    async (scope) => admitRegistration(scope),
  ),
  operation(
    {
      method: 'POST',
      path: '/api/runtime/v1/heartbeat',
      group: 'Runtimes',
      summary: 'Send a heartbeat',
      description: 'Reports the applied revision; the answer contains the revision to run.',
      scope: 'ingest',
      body: {
        schema: HeartbeatRequest,
        example: EXAMPLE_HEARTBEAT,
      },
      answers: {
        200: {
          description: 'The revision to run.',
          schema: HeartbeatResponse,
          example: { desired_revision: 12, server_time: AT },
        },
        404: { description: 'Unknown runtime; register again.' },
      },
    },
    async ({ context, scope, body }) => fleetJson(context, await answerHeartbeat(scope, body)),
  ),
  operation(
    {
      method: 'POST',
      path: '/api/runtime/v1/heartbeats',
      group: 'Runtimes',
      summary: 'Send heartbeats of several runtimes',
      description:
        'Reports what a relay gathered from runtimes with the same key. The answers have the order of the heartbeats; null stands for an unknown runtime, which must register again.',
      scope: 'ingest',
      body: {
        schema: HeartbeatsRequest,
        example: {
          heartbeats: [EXAMPLE_HEARTBEAT],
        },
        maxBytes: 4 * 1024 * 1024,
      },
      answers: {
        200: {
          description: 'The revision that each runtime must run.',
          schema: HeartbeatsResponse,
          example: { answers: [{ desired_revision: 12, server_time: AT }] },
        },
      },
    },
    async ({ context, scope, body }) => {
      const recorded = body.heartbeats.map((heartbeat) => answerKnown(scope, heartbeat))
      return fleetJson(context, { answers: await Promise.all(recorded) })
    },
  ),
  operation(
    {
      method: 'POST',
      path: '/api/runtime/v1/revision',
      group: 'Runtimes',
      summary: 'Present a newer bundle',
      description:
        "Presents the runtime's signed bundle when the served one has a lower revision, as after a restore from a backup. If a key of the project signed it, the environment's live versions are published again above its revision.",
      scope: 'ingest',
      body: {
        schema: RevisionRequest,
        example: { text: JSON.stringify(EXAMPLE_BUNDLE), signature: 'pV3l-Zx0' },
        // Largest size of all configs of an environment.
        maxBytes: 16 * 1024 * 1024,
      },
      answers: {
        200: {
          description: 'The revision to run.',
          schema: RevisionResponse,
          example: { desired_revision: 13 },
        },
      },
    },
    async ({ scope, body }) =>
      jsonResponse({ desired_revision: await surpassRevision(scope, body) }),
  ),
  operation(
    {
      method: 'POST',
      path: '/api/runtime/v1/events',
      group: 'Runtimes',
      summary: 'Store events',
      description:
        'NDJSON, plain or gzip: at most 8 MiB as sent, 64 MiB decompressed, 256 KiB per line. Lines are validated one by one; lines sent again count as duplicates.',
      scope: 'ingest',
      neverInvalid: true,
      headers: [{ name: 'Content-Encoding', description: '`gzip`, or none.', example: 'gzip' }],
      body: {
        schema: z
          .string()
          .describe('One event per line, in the format of specs/schemas/event-v1.json.'),
        contentType: 'application/x-ndjson',
        example:
          '{"session":"sess_01JB2Q3V4W","seq":1,"at":1795000000000,"type":"note","data":{"text":"hi"}}\n',
      },
      answers: {
        200: {
          description: 'The stored events, the gaps, and the refused lines.',
          schema: EventsResponse,
          example: {
            acked_through: { sess_01JB2Q3V4W: 1 },
            gaps: [],
            errors: [],
            stored: 1,
            duplicates: 0,
          },
        },
        400: { description: 'The gzip is broken, or the body ended early.' },
        413: { description: 'The batch is too large.' },
        415: { description: 'An encoding other than gzip.' },
      },
    },
    async ({ context, scope, request }) => fleetJson(context, await storeEvents(scope, request)),
  ),
  operation(
    {
      method: 'POST',
      path: '/api/runtime/v1/approvals',
      group: 'Runtimes',
      summary: 'Wait for a reviewer’s decision',
      id: 'wait-for-a-person-s-answer',
      description:
        'Waits for the decision on one call whose `approval.requested` was sent as an event. The request is held for `hold_ms`, or until there is an answer; repeat it while the state is `waiting`. The answer is signed by the key that signs the bundles.',
      scope: 'ingest',
      body: {
        schema: AwaitAnswerRequest,
        example: {
          session: 'sess_01JB2Q3V4W',
          seq: 12,
          call_id: 'toolu_01',
          tool: 'deploy',
          input: EXAMPLE_DIGEST,
          time_left_ms: 287_000,
          hold_ms: 20_000,
        },
      },
      answers: {
        200: {
          description: '`waiting`, the signed answer, or the reason why there will be none.',
          schema: AwaitAnswerResponse,
          example: {
            state: 'answered',
            text: `{"at":${AT},"by":"Ana","call_answer_version":1,"call_id":"toolu_01","decision":"approved","input":"${EXAMPLE_DIGEST}","seq":12,"session":"sess_01JB2Q3V4W","tool":"deploy"}`,
            signature: 'pV3l-Zx0',
          },
        },
      },
    },
    async ({ scope, body, request }) =>
      jsonResponse(await awaitAnswer(scope, body, request.signal)),
  ),
]
