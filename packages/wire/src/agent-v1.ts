// Agent protocol, version 1 (specs/agent-protocol.md): the bodies and answers of every call. Bodies are loose, so that an older daemon
// ignores what a newer client adds. Clients, the daemon and its OpenAPI document all come from these schemas.
import type { Problem } from '@signalbox/core'
import * as z from 'zod/v4'
import { BudgetV1, CapabilitiesV1, FileFactV1, PlanStepV1, UsageV1 } from './event-v1.ts'
import { lostNameProblem, numberProblem, toProblems } from './issue-sentence.ts'
import { AnyJson, AnyJsonObject } from './json-value.ts'
import { lostName } from './lost-name.ts'
import { Count, Digest, FilePath, HarnessToolName, Instant, SessionId } from './names.ts'
import { isTooDeep } from './nesting.ts'
import { tooLargeNumber } from './too-large-number.ts'

/** Limits of a body. */
export const MAX_AGENT_BODY_BYTES = 8 * 1024 * 1024
const MAX_AGENT_BODY_DEPTH = 64
const MOST_TAGS = 64

const Text = z.string().max(100_000)
const Name = z.string().min(1).max(300)

const Failure = z.object({
  /** Name of an exception, or `cancelled`. */
  kind: Name.exactOptional(),
  message: Text,
})

const OpenSession = z.object({
  /** `ns/key` */
  prompt: Name,
  session_key: Name,
  agent: z.object({
    name: Name,
    version: Name.exactOptional(),
    language: Name.exactOptional(),
    framework: Name.exactOptional(),
  }),
  capabilities: CapabilitiesV1.strip(),
  workspace_root: FilePath.exactOptional(),
  root_nonce: z
    .string()
    .regex(/^[0-9a-f]{32,128}$/, 'Use 32 to 128 hexadecimal digits.')
    .exactOptional(),
  deadline_at: Instant.exactOptional(),
  budget: BudgetV1.strip().exactOptional(),
  tags: z
    .record(z.string().max(100), z.string().max(1000))
    .refine((tags) => Object.keys(tags).length <= MOST_TAGS, `Use at most ${MOST_TAGS} tags.`)
    .exactOptional(),
  trace: z.string().max(200).exactOptional(),
})

const BeforeTool = z.object({
  call_id: Name,
  tool: HarnessToolName,
  args: AnyJsonObject,
  native_tool: HarnessToolName.exactOptional(),
  agent_path: Name.exactOptional(),
})

const AfterTool = z.object({
  call_id: Name,
  outcome: z.enum(['success', 'failure', 'invalid', 'unknown']),
  output: AnyJson.exactOptional(),
  error: Failure.exactOptional(),
  duration_ms: z.number().min(0).max(1e12).exactOptional(),
})

const Stop = z.object({
  attempt_id: Name,
  via: z.enum(['turn_end', 'structured_output', 'subagent_end', 'final']),
  output: AnyJson.exactOptional(),
  last_message: Text.exactOptional(),
  stop_reason: Name.exactOptional(),
})

const EndSession = z.object({
  reason: z.enum(['completed', 'failed', 'aborted']),
  output: AnyJson.exactOptional(),
  error: Failure.exactOptional(),
})

const FileValue = FileFactV1.strip()
const LinkValue = z.union([z.boolean(), z.literal('unknown')])
const GivenFacts = z.object({
  facts: z.array(z.object({ id: Name, value: z.union([FileValue, LinkValue]) })).max(10_000),
})

/** Bodies of every POST, by the last part of its path. */
export const AGENT_BODIES = {
  sessions: OpenSession,
  'before-tool': BeforeTool,
  'after-tool': AfterTool,
  stop: Stop,
  plan: z.object({ steps: z.array(PlanStepV1.strip()).max(1000) }),
  usage: UsageV1.strip(),
  note: z.object({ text: Text }),
  beat: z.object({}),
  facts: GivenFacts,
  end: EndSession,
} as const
export type AgentPost = keyof typeof AGENT_BODIES
export type AgentBody<Post extends AgentPost> = z.output<(typeof AGENT_BODIES)[Post]>

const Entry = z.looseObject({
  provider: Name,
  severity: z.enum(['info', 'caution', 'warning']),
  summary: Text,
  observations: z.array(AnyJsonObject),
  suggestions: z.array(Text),
})

const Need = z.looseObject({
  need: z.array(z.looseObject({ id: Name, kind: z.enum(['file', 'link']), path: FilePath })),
})

const SessionConfig = z
  .looseObject({
    /** null: not published. */
    version: Count.nullable(),
    digest: Digest,
    environment: Name,
  })
  // null: none is in force, and every call is denied.
  .nullable()

const OpenedSession = z.looseObject({
  session: SessionId,
  config: SessionConfig,
  startup_policy: z.enum(['deny', 'last_known_good', 'bootstrap']),
  /** Page of the session; null: there is no control plane. */
  url: z.string().nullable(),
})
export type OpenedSession = z.output<typeof OpenedSession>

const Nothing = z.looseObject({})

/** Answers to every POST, by the last part of its path and by status. */
export const AGENT_ANSWERS = {
  sessions: { 201: OpenedSession },
  'before-tool': {
    200: z.discriminatedUnion('decision', [
      z.looseObject({ decision: z.literal('allow'), args: AnyJsonObject.exactOptional() }),
      z.looseObject({
        decision: z.literal('deny'),
        reason: Text,
        rules: z.array(z.looseObject({ rule: Name, type: Name, code: Name, reason: Text })),
      }),
    ]),
    202: z.union([
      z.looseObject({ waiting: z.looseObject({ approval: Name, until: Instant }) }),
      Need,
    ]),
  },
  'after-tool': {
    200: z.looseObject({
      feedback: Text.nullable(),
      entries: z.array(Entry),
      output: AnyJson.exactOptional(),
    }),
    202: Need,
  },
  stop: {
    200: z.discriminatedUnion('decision', [
      z.looseObject({ decision: z.literal('allow') }),
      z.looseObject({
        decision: z.literal('block'),
        message: Text,
        remaining: z.array(z.string()),
      }),
    ]),
    202: Need,
  },
  plan: { 200: Nothing },
  usage: { 200: Nothing },
  note: { 200: Nothing },
  beat: { 200: Nothing },
  facts: { 200: Nothing },
  end: { 200: z.looseObject({ error: Text.exactOptional() }), 202: Need },
} as const satisfies { readonly [post in AgentPost]: { readonly [status: number]: z.ZodType } }

export const AgentSessionState = z.looseObject({
  session: SessionId,
  prompt: Name,
  config: SessionConfig,
  plan: z.array(PlanStepV1).nullable(),
  missing: z.array(z.looseObject({ tool: Name, missing: z.array(Name) })),
  pending: z.array(z.looseObject({ call_id: Name, tool: Name })),
  /** null: no config is in force. */
  stop: z.looseObject({ verdict: Name, remaining: z.array(z.string()) }).nullable(),
})
export type AgentSessionState = z.output<typeof AgentSessionState>

export const AgentHealth = z.looseObject({ version: Name, sessions: Count })

/** Written by a client that let a stop through without an answer. */
export const OverriddenStop = z.object({ session: SessionId, at: Instant, reason: Text })

export type ParsedAgentBody<Body> =
  | { readonly ok: true; readonly body: Body }
  | {
      readonly ok: false
      readonly code: 'not_json' | 'too_deep' | 'body_invalid'
      readonly problems: readonly Problem[]
    }

/** Never throws. */
export function parseAgentBody<Post extends AgentPost>(
  post: Post,
  text: string,
): ParsedAgentBody<AgentBody<Post>> {
  if (isTooDeep(text, MAX_AGENT_BODY_DEPTH)) return { ok: false, code: 'too_deep', problems: [] }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, code: 'not_json', problems: [] }
  }
  const overflow = tooLargeNumber(text, value)
  if (overflow !== null) return refuseBody([numberProblem(overflow)])
  // TypeScript does not relate the schema of `post` to its own output; both come from one entry.
  const schema = AGENT_BODIES[post] as unknown as z.ZodType<AgentBody<Post>>
  const result = schema.safeParse(value)
  if (!result.success) return refuseBody(toProblems(result.error.issues, value))
  const lost = lostName(value, result.data)
  return lost === null ? { ok: true, body: result.data } : refuseBody([lostNameProblem(lost)])
}

const MOST_PROBLEMS = 20

function refuseBody(problems: readonly Problem[]) {
  return { ok: false, code: 'body_invalid', problems: problems.slice(0, MOST_PROBLEMS) } as const
}
