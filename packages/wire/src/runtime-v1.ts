// Requests and answers between runtimes and server (specs/data-plane.md).
import * as z from 'zod/v4'
import { VERSION_PARTS } from './bundle-v1.ts'
import { AnyJsonObject } from './json-value.ts'
import { KeyId } from './key-record-v1.ts'
import { Count, Digest, EnvironmentName, Instant, RuntimeId } from './names.ts'

const Types = z.array(z.string().min(1).max(100)).max(1000)
const Line = z.string().min(1).max(300)

export const RegisterRequest = z.strictObject({
  /** Absent: the server gives one. */
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
    /** Types that the host brought as code. Absent: none. */
    custom_types: z
      .array(
        z.strictObject({
          kind: z.enum(['policy', 'feedback_provider', 'checker']),
          type: z.string().min(1).max(100),
          /** JSON Schema of the rule's `params`. Absent: free. */
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
  /** Ed25519 key that signs the bundles, base64url. */
  public_key: z.string(),
  server_time: Instant,
  poll_seconds: z.number().gt(0),
  heartbeat_seconds: z.number().gt(0),
  /** Digest of what GET keys answers. Absent: the server knows nothing of key records. */
  keys: Digest.exactOptional(),
})
export type RegisterResponse = z.output<typeof RegisterResponse>

export const MOST_KEYS_TOLD = 20

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
  /** Parts of the applied bundle besides the versions in force, and their results. Absent: it has no others. */
  parts: z
    .array(
      z.strictObject({
        part: z.enum(VERSION_PARTS),
        /** `ns/key` */
        prompt: Line,
        version: Count,
        digest: Digest,
        state: z.enum(['ready', 'rejected']),
        /** Only for a rejected one. */
        reason: z.string().min(1).max(2000).exactOptional(),
      }),
    )
    .max(1000)
    .exactOptional(),
  /** Ids of the trusted signing keys: that of its bundle, then the known successors. Absent: not reported. */
  keys: z.array(KeyId).max(MOST_KEYS_TOLD).exactOptional(),
  /** True in the last heartbeat before the process ends. */
  stopping: z.boolean().exactOptional(),
})
export type HeartbeatRequest = z.output<typeof HeartbeatRequest>

export const HeartbeatResponse = z.looseObject({
  desired_revision: Count,
  server_time: Instant,
  /** Same as in the answer to a registration. */
  keys: Digest.exactOptional(),
})
export type HeartbeatResponse = z.output<typeof HeartbeatResponse>

/** The signed bundle of a runtime, presented to a server that serves an older one. */
export const RevisionRequest = z.strictObject({
  /** Exact text that was signed. */
  text: z.string().min(2),
  signature: z.string().min(1).max(200),
})
export type RevisionRequest = z.output<typeof RevisionRequest>

export const RevisionResponse = z.looseObject({
  /** Not lower than that of the request. */
  desired_revision: Count,
})
export type RevisionResponse = z.output<typeof RevisionResponse>

/** Data of the stream's event `bundle`: what GET config answers, its headers among it. */
export const PushedBundle = z.looseObject({
  revision: Count,
  digest: Digest,
  signature: z.string(),
  /** Exact text that was signed. */
  text: z.string(),
})
export type PushedBundle = z.output<typeof PushedBundle>

export const EventsResponse = z.looseObject({
  /** Per session of the batch: highest sequence number up to which everything is stored. */
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

/** RFC 9457. */
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
