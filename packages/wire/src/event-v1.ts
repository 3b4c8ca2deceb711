// An event of an unknown type keeps all of its data, so that an older server never shortens a log.
import type { EventData, EventType, JsonObject, SEMANTICS, SessionEvent } from '@signalbox/core'
import * as z from 'zod/v4'
import { listSchemas } from './config-v1.ts'
import {
  ContentDecisionV1,
  FeedbackDeliveredV1,
  RuleAnswerV1,
  StopDecisionV1,
  ToolDecisionV1,
} from './decision-v1.ts'
import { AnyJson, AnyJsonObject } from './json-value.ts'
import {
  Count,
  Digest,
  EnvironmentName,
  FilePath,
  HarnessToolName,
  Hash,
  Instant,
  OrderReason,
  PromptKey,
  PromptNs,
  RuleId,
  RuntimeId,
  SessionId,
} from './names.ts'

const Text = z.string().max(100_000)
const Name = z.string().min(1).max(300)

const envelope = {
  session: SessionId,
  seq: z.int().min(1).max(2_147_483_647),
  at: Instant,
  config: Digest.exactOptional(),
  trace: z.string().max(200).exactOptional(),
  prev: Hash.exactOptional(),
}

export const FileFactV1 = z.strictObject({
  exists: z.union([z.boolean(), z.literal('unknown')]),
  kind: z.enum(['file', 'directory']).exactOptional(),
  fingerprint: z.string().min(1).max(200).exactOptional(),
})

/** More findings of one value count as not checked. */
export const MOST_FINDINGS = 500

const FactsV1 = z.strictObject({
  files: z.record(FilePath, FileFactV1).exactOptional(),
  links: z.record(FilePath, z.union([z.boolean(), z.literal('unknown')])).exactOptional(),
  answers: z.record(RuleId, RuleAnswerV1).exactOptional(),
  content: z
    .strictObject({
      detectors: z.array(z.strictObject({ name: Name, version: Name })).max(20),
      checked: z.array(RuleId).max(1000),
      found: z
        .array(
          z.strictObject({
            rule: RuleId,
            kind: Name,
            pointer: z.string().max(2000),
            property: Count.exactOptional(),
            offset: Count,
            length: Count,
            tag: z.string().max(64),
          }),
        )
        .max(MOST_FINDINGS),
    })
    .exactOptional(),
})

export const BudgetV1 = z.strictObject({
  max_total_tokens: Count.exactOptional(),
  max_input_tokens: Count.exactOptional(),
  max_output_tokens: Count.exactOptional(),
})

export const CapabilitiesV1 = z.strictObject({
  deny_reason: z.boolean(),
  inject: z.enum(['message', 'in_result', 'none']),
  block_stop: z.enum(['in_loop', 'reprompt', 'none']),
  max_blocks: Count.nullable(),
  structured: z.enum(['before_accept', 'final_message', 'post_only', 'none']),
  structured_attempts: Count.nullable(),
  failure: z.enum(['event', 'text', 'stream', 'none']),
  call_ids: z.boolean(),
  batch: z.enum(['serial', 'parallel']),
  on_guard_crash: z.enum(['closed', 'open']),
  on_guard_timeout: z.enum(['closed', 'open']),
  approval_seconds: Count.nullable().exactOptional(),
  replaces_arguments: z.boolean().exactOptional(),
  replaces_results: z.boolean().exactOptional(),
  unkept_content: z.array(RuleId).max(1000).exactOptional(),
  ungoverned: z.array(Name).max(100),
})

export const PlanStepV1 = z.strictObject({
  id: Name.exactOptional(),
  title: z.string().max(2000),
  status: Name.exactOptional(),
})

export const UsageV1 = z.strictObject({
  evaluation_id: Name,
  input_tokens: Count,
  output_tokens: Count,
  total_tokens: Count.exactOptional(),
})

const Shadow = z.strictObject({ version: Count, digest: Digest })
const ShadowAnswerV1 = z.enum(['allowed', 'refused', 'waits', 'silent', 'said', 'failed'])

/** Tied to core's constant, so that a log is refused if this build cannot fold it under its semantics. */
const KNOWN_SEMANTICS: typeof SEMANTICS = 2

const SemanticsV1 = z
  .int()
  .min(1)
  .refine((number) => number <= KNOWN_SEMANTICS, {
    error: ({ input }) =>
      `The session was decided under semantics ${String(input)}; this version of Signalbox knows 1 to ${KNOWN_SEMANTICS}. Update Signalbox here.`,
  })

const DATA = {
  'session.started': z.strictObject({
    semantics: SemanticsV1.exactOptional(),
    ns: PromptNs,
    key: PromptKey,
    environment: EnvironmentName,
    runtime: RuntimeId.exactOptional(),
    harness: z.strictObject({ name: Name, version: Name.exactOptional() }),
    sdk: Name.exactOptional(),
    config_version: Count.exactOptional(),
    workspace_root: FilePath.exactOptional(),
    deadline_at: Instant.exactOptional(),
    budget: BudgetV1.exactOptional(),
    tags: z.record(z.string().max(100), z.string().max(1000)).exactOptional(),
    custom_types: z.array(Name).max(1000).exactOptional(),
    capabilities: CapabilitiesV1.exactOptional(),
  }),
  'session.ended': z.strictObject({
    reason: z.enum(['completed', 'failed', 'aborted']),
    output: AnyJson.exactOptional(),
    error: Text.exactOptional(),
  }),
  'prompt.rendered': z.strictObject({ prompt: Name }),
  'prompt.executed': z.strictObject({ prompt: Name }),
  'tool.requested': z.strictObject({
    call_id: Name,
    tool: HarnessToolName,
    native_tool: HarnessToolName.exactOptional(),
    args: AnyJsonObject,
    agent: Name.exactOptional(),
    facts: FactsV1.exactOptional(),
  }),
  'approval.requested': z.strictObject({
    call_id: Name,
    tool: Name,
    rules: z.array(Name).max(1000),
    expires_at: Instant,
  }),
  'approval.decided': z.strictObject({
    call_id: Name,
    decision: z.enum(['approved', 'denied', 'timed_out', 'unavailable']),
    by: Name.exactOptional(),
    note: z.string().max(2000).exactOptional(),
  }),
  'tool.decided': ToolDecisionV1,
  'tool.invoked': z.strictObject({
    call_id: Name,
    tool: HarnessToolName,
    outcome: z.enum(['success', 'failure', 'denied', 'invalid', 'unknown']),
    duration_ms: z.number().min(0).max(1e12).exactOptional(),
    output: AnyJson.exactOptional(),
    error: Text.exactOptional(),
    agent: Name.exactOptional(),
    facts: FactsV1.exactOptional(),
  }),
  'content.decided': ContentDecisionV1,
  'feedback.delivered': FeedbackDeliveredV1,
  'feedback.failed': z.strictObject({ provider: Name, error: Text }),
  'plan.updated': z.strictObject({ steps: z.array(PlanStepV1).max(1000) }),
  'file.observed': z.strictObject({ path: FilePath, facts: FactsV1.exactOptional() }),
  'usage.recorded': UsageV1,
  'stop.attempted': z.strictObject({
    via: z.enum(['turn_end', 'structured_output', 'subagent_end', 'final']),
    stop_reason: Name.exactOptional(),
    output: AnyJson.exactOptional(),
    last_message: Text.exactOptional(),
    agent: Name.exactOptional(),
    harness_max_blocks: Count.exactOptional(),
    facts: FactsV1.exactOptional(),
  }),
  'stop.decided': StopDecisionV1,
  'completion.overridden': z.strictObject({ cause: Text, attempt: Count.exactOptional() }),
  'enforcement.lapsed': z.strictObject({
    code: z.enum(['guard_unreachable', 'guard_timeout', 'hook_missing', 'unsupported_version']),
    detail: Text,
    call_id: Name.exactOptional(),
    tool: HarnessToolName.exactOptional(),
  }),
  'session.controlled': z.strictObject({
    action: z.enum(['pause', 'resume', 'end']),
    by: Name,
    reason: OrderReason,
    counter: Count,
  }),
  'shadow.started': Shadow,
  'shadow.differed': Shadow.extend({
    of: z.int().min(1).max(2_147_483_647),
    subject: z.enum(['call', 'feedback', 'stop']),
    call_id: Name.exactOptional(),
    tool: HarnessToolName.exactOptional(),
    rule: Name.exactOptional(),
    live: ShadowAnswerV1,
    shadow: ShadowAnswerV1,
    text: Text.exactOptional(),
    fidelity: z.enum(['exact', 'approximate']),
    own_facts: z.boolean().exactOptional(),
  }),
  'shadow.stopped': Shadow.extend({ reason: Text }),
  'lease.extended': z.strictObject({ seconds: z.number().min(0) }),
  'lease.expired': z.strictObject({ message: Text.exactOptional() }),
  'config.applied': z.strictObject({ digest: Digest, revision: Count.exactOptional() }),
  'config.rejected': z.strictObject({ reason: Text, revision: Count.exactOptional() }),
  heartbeat: AnyJsonObject,
  note: z.strictObject({ text: Text }),
} as const satisfies { readonly [Type in EventType]: z.ZodType<EventData[Type]> }

const EVENTS = Object.entries(DATA).map(([type, data]) =>
  z.strictObject({ ...envelope, type: z.literal(type), data }),
)

// Each type has its own data, which TypeScript cannot express for a mapped list.
export const EventV1 = z.discriminatedUnion(
  'type',
  listSchemas(EVENTS),
) as z.ZodType as z.ZodType<SessionEvent>

/** Alternatives of `EventV1` by type. Each can be compiled alone; the union cannot, because a stop's check is recursive. */
export const EVENT_SCHEMAS: ReadonlyMap<string, z.ZodType<SessionEvent>> = new Map(
  EVENTS.map((schema) => [schema.shape.type.value, schema as z.ZodType as z.ZodType<SessionEvent>]),
)

/** Stored and shown, but not folded. */
export const UnknownEventV1 = z.strictObject({
  ...envelope,
  type: z.string().regex(/^[a-z][a-z0-9_.]{0,99}$/, 'Use lower-case words joined by ".".'),
  data: AnyJsonObject,
})
export type UnknownEvent = Omit<SessionEvent, 'type' | 'data'> & {
  readonly type: string
  readonly data: JsonObject
}

export function isKnownEventType(type: string): type is SessionEvent['type'] {
  return Object.hasOwn(DATA, type)
}
