// The published JSON Schemas (2020-12) of all wire formats, generated from the schemas that are enforced.
import * as z from 'zod/v4'
import { BundleV1 } from './bundle-v1.ts'
import { AwaitAnswerRequest, AwaitAnswerResponse, CallAnswerV1 } from './call-answer-v1.ts'
import { ClaimsV1 } from './claims-v1.ts'
import { ConfigV1, Extends } from './config-v1.ts'
import { EventV1 } from './event-v1.ts'
import { KeyRecordV1, KeysResponse } from './key-record-v1.ts'
import { PortableHeadV1, Sealed } from './portable-bundle-v1.ts'
import { ProjectFileV1 } from './project-v1.ts'
import {
  EventsResponse,
  HeartbeatRequest,
  HeartbeatResponse,
  HeartbeatsRequest,
  HeartbeatsResponse,
  ProblemV1,
  PushedBundle,
  RegisterRequest,
  RegisterResponse,
  RevisionRequest,
  RevisionResponse,
} from './runtime-v1.ts'

const SCHEMAS = {
  'config-v1': ConfigV1,
  'event-v1': EventV1,
  'bundle-v1': BundleV1,
  'register-request': RegisterRequest,
  'register-response': RegisterResponse,
  'heartbeat-request': HeartbeatRequest,
  'heartbeat-response': HeartbeatResponse,
  'heartbeats-request': HeartbeatsRequest,
  'heartbeats-response': HeartbeatsResponse,
  'revision-request': RevisionRequest,
  'revision-response': RevisionResponse,
  'pushed-bundle': PushedBundle,
  'events-response': EventsResponse,
  'key-record-v1': KeyRecordV1,
  'keys-response': KeysResponse,
  'await-answer-request': AwaitAnswerRequest,
  'await-answer-response': AwaitAnswerResponse,
  'call-answer-v1': CallAnswerV1,
  'portable-head-v1': PortableHeadV1,
  'portable-seal-v1': Sealed,
  'project-v1': ProjectFileV1,
  'claims-v1': ClaimsV1,
  problem: ProblemV1,
} as const

/** By file name. Arbitrary JSON inside a document, such as arguments, is the empty schema. */
export function jsonSchemas(): { readonly [name: string]: object } {
  const schemas = Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [
      name,
      z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }),
    ]),
  )
  return { ...schemas, 'config-v1': asWritten(schemas['config-v1'] ?? {}) }
}

/** Fields of files and drafts only: a save removes `$schema`, and a publish resolves `extends`. */
function asWritten(schema: z.core.JSONSchema.BaseSchema): object {
  const address = { type: 'string', description: 'Address of this schema, for editors.' }
  const { $schema: _dialect, ...base } = z.toJSONSchema(Extends)
  return { ...schema, properties: { $schema: address, extends: base, ...schema.properties } }
}
