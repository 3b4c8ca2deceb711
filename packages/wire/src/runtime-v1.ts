import * as z from 'zod/v4'
import { VERSION_PARTS } from './bundle-v1.ts'
import { AnyJsonObject } from './json-value.ts'
import { KeyId } from './key-record-v1.ts'
import { Count, Digest, EnvironmentName, Instant, RuntimeId, SessionId } from './names.ts'
import { SignedSessionOrder } from './session-order-v1.ts'

const Types = z.array(z.string().min(1).max(100)).max(1000)
const Line = z.string().min(1).max(300)

export const RegisterRequest = z.strictObject({
  /** Absent: the server assigns an id. */
  runtime_id: RuntimeId.exactOptional(),
  name: Line,
  sdk_version: Line,
  harness: z.strictObject({ name: Line, version: Line.exactOptional() }),
  /** `ns/key` of every prompt that the process hosts. */
  prompts: z.array(Line).max(1000),
  capabilities: z.strictObject({
    policies: Types,
    feedback_providers: Types,
    checkers: Types,
    /** Types for which the host has code. Absent: none. */
    custom_types: z
      .array(
        z.strictObject({
          kind: z.enum(['policy', 'feedback_provider', 'checker']),
          type: z.string().min(1).max(100),
          /** JSON Schema of the rule's `params`. Absent: any object. */
          schema: AnyJsonObject.exactOptional(),
        }),
      )
      .max(1000)
      .exactOptional(),
  }),
  posture: z.enum(['deny', 'last_known_good', 'bootstrap']),
  now: Instant,
})
export type RegisterRequest = z.output<typeof RegisterRequest>

/** Loose, so that a newer server may add fields. */
export const RegisterResponse = z.looseObject({
  runtime_id: RuntimeId,
  project: z.string(),
  environment: EnvironmentName,
  /** Ed25519 public key of the bundles' signatures, base64url. */
  public_key: z.string(),
  server_time: Instant,
  poll_seconds: z.number().gt(0),
  heartbeat_seconds: z.number().gt(0),
  /** Digest of the response to GET keys. Absent: the server does not support key records. */
  keys: Digest.exactOptional(),
  /** True: the answers to heartbeats carry orders about sessions. Absent: the server gives none. */
  orders: z.boolean().exactOptional(),
})
export type RegisterResponse = z.output<typeof RegisterResponse>

export const MOST_KEYS_REPORTED = 20
export const MOST_MOVED_SESSIONS = 100

export const HeartbeatRequest = z.strictObject({
  runtime_id: RuntimeId,
  now: Instant,
  applied: z
    .strictObject({
      revision: Count,
      digest: Digest,
      source: z.enum(['server', 'disk', 'bootstrap']),
    })
    .nullable(),
  rejected: z.strictObject({ revision: Count, reason: z.string().min(1).max(2000) }).nullable(),
  live_sessions: Count,
  spooled_events: Count,
  /** Parts of the applied bundle besides the versions in force, and their states. Absent: there are none. */
  parts: z
    .array(
      z.strictObject({
        part: z.enum(VERSION_PARTS),
        /** `ns/key` */
        prompt: Line,
        version: Count,
        digest: Digest,
        state: z.enum(['ready', 'rejected']),
        /** Only if `rejected`. */
        reason: z.string().min(1).max(2000).exactOptional(),
      }),
    )
    .max(1000)
    .exactOptional(),
  /** Ids of the trusted signing keys: that of the bundle, then its known successors. Absent: not reported. */
  keys: z.array(KeyId).max(MOST_KEYS_REPORTED).exactOptional(),
  /** True: the runtime takes orders about its sessions. Absent: the server has none, or the runtime is too old. */
  orders: z.boolean().exactOptional(),
  /** Some of the running sessions whose first event names another runtime, or none; the next heartbeats have the rest. Absent: there are none. */
  moved_sessions: z.array(SessionId).max(MOST_MOVED_SESSIONS).exactOptional(),
  /** True in the last heartbeat before the process ends. */
  stopping: z.boolean().exactOptional(),
})
export type HeartbeatRequest = z.output<typeof HeartbeatRequest>

/** Most orders in one answer; the next answer has the rest. */
export const MOST_ORDERS = 20

export const HeartbeatResponse = z.looseObject({
  desired_revision: Count,
  server_time: Instant,
  keys: Digest.exactOptional(),
  /** Orders about sessions of this runtime that no event has recorded yet. Absent: the server gives none. */
  orders: z.array(SignedSessionOrder).max(MOST_ORDERS).exactOptional(),
})
export type HeartbeatResponse = z.output<typeof HeartbeatResponse>

export const MOST_HEARTBEATS = 500

export const HeartbeatsRequest = z.strictObject({
  heartbeats: z.array(HeartbeatRequest).min(1).max(MOST_HEARTBEATS),
})
export type HeartbeatsRequest = z.output<typeof HeartbeatsRequest>

export const HeartbeatsResponse = z.looseObject({
  /** In the order of the request; null: the runtime is not known and must register. */
  answers: z.array(HeartbeatResponse.nullable()),
})
export type HeartbeatsResponse = z.output<typeof HeartbeatsResponse>

export const RevisionRequest = z.strictObject({
  text: z.string().min(2),
  signature: z.string().min(1).max(200),
})
export type RevisionRequest = z.output<typeof RevisionRequest>

export const RevisionResponse = z.looseObject({
  /** Not lower than the revision in the request. */
  desired_revision: Count,
})
export type RevisionResponse = z.output<typeof RevisionResponse>

/** Data of the stream's event `bundle`: the response to GET config, including its headers. */
export const PushedBundle = z.looseObject({
  revision: Count,
  digest: Digest,
  signature: z.string(),
  text: z.string(),
})
export type PushedBundle = z.output<typeof PushedBundle>

export const EventsResponse = z.looseObject({
  /** By session of the batch: highest sequence number up to which every event is stored. */
  acked_through: z.record(z.string(), Count),
  gaps: z.array(z.looseObject({ session: z.string(), from: Count, to: Count })),
  errors: z.array(
    z.looseObject({
      line: Count,
      session: z.string().exactOptional(),
      seq: Count.exactOptional(),
      code: z.string(),
      detail: z.string(),
    }),
  ),
  stored: Count,
  duplicates: Count,
})
export type EventsResponse = z.output<typeof EventsResponse>

/** Problem details (RFC 9457). */
export const ProblemV1 = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z
    .array(
      z.looseObject({
        pointer: z.string().exactOptional(),
        line: Count.exactOptional(),
        detail: z.string(),
      }),
    )
    .exactOptional(),
})
export type ProblemV1 = z.output<typeof ProblemV1>
