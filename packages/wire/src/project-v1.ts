// The declared state of a project, for `signalbox apply` (specs/apply.md).
import * as z from 'zod/v4'
import { EnvironmentName } from './names.ts'

const Name = z.string().trim().min(1).max(100)

/** The server's lists of scopes, signals and kinds of destinations must be equal (server/http/project-file.test.ts). */
const Scope = z.enum([
  'ingest',
  'read',
  'publish',
  'sessions:read',
  'approvals:answer',
  'labels:write',
  'audit:read',
  'admin',
])
const Signal = z.enum([
  'blocked_stops',
  'bypassed_stops',
  'error_verdicts',
  'denial_rate',
  'lost_sessions',
  'runtimes_behind',
  'denials_after_release',
  'blocks_in_a_row',
  'silent_runtimes',
  'long_sessions',
  'approval_waiting',
  'approval_lapsing',
])

const Address = z
  .union([z.string().min(1).max(2_000), z.strictObject({ env: z.string().min(1).max(200) })])
  .describe('An address, or the environment variable that holds it: {"env": "HOOK_URL"}.')
export type DeclaredAddress = z.output<typeof Address>

const Environment = z.strictObject({
  name: EnvironmentName,
  requires_note: z.boolean().default(false),
  requires_typed_name: z.boolean().default(false),
  required_approvals: z.int().min(0).max(5).default(0),
  rollback_skips_approval: z.boolean().default(true),
  requires_backtest: z.boolean().default(false),
})

const Key = z.strictObject({
  name: Name,
  environment: EnvironmentName,
  scopes: z.array(Scope).min(1),
  expires_at: z.iso.datetime().exactOptional().describe('End of the key. Absent: any.'),
})

const Destination = z.strictObject({
  kind: z.enum(['webhook', 'slack', 'teams', 'discord', 'pagerduty', 'email', 'chat']),
  url: Address.describe(
    'For email, `mailto:` and the address; for pagerduty, `https://events.pagerduty.com/v2/enqueue#` and the routing key.',
  ),
})

const Alert = z.strictObject({
  name: Name,
  signal: Signal,
  environment: EnvironmentName,
  prompt: z
    .string()
    .regex(/^.+\/[^/]+$/, 'Write the prompt as ns/key.')
    .nullable()
    .default(null)
    .describe('Prompt as ns/key; null: any.'),
  runtime: z.string().nullable().default(null).describe('Name of a runtime; null: any.'),
  code: z.string().nullable().default(null).describe('Reason code; null: any.'),
  window_minutes: z.int().min(1).max(1440),
  threshold: z.number().gt(0),
  enabled: z.boolean().default(true),
  destinations: z.array(z.string()).default([]).describe('Names in `destinations`.'),
})

const Stream = z.strictObject({
  name: Name,
  url: Address,
  audit: z.boolean().default(false),
  decisions: z.boolean().default(false),
  environment: EnvironmentName.nullable().default(null),
})

const Member = z.strictObject({
  email: z.email().toLowerCase(),
  role: z.enum(['viewer', 'editor', 'publisher', 'admin']),
  publish_in: z
    .array(EnvironmentName)
    .nullable()
    .default(null)
    .describe('Environments of a publisher; null: all, or another role.'),
})

/** A section that is absent is not managed: nothing of it is changed or removed. */
export const ProjectFileV1 = z.strictObject({
  $schema: z.string().exactOptional().describe('Address of this schema, for editors.'),
  project_version: z.literal(1),
  name: z.string().trim().min(1).max(60).exactOptional().describe('Name of the project.'),
  environments: z.array(Environment).exactOptional(),
  keys: z.array(Key).exactOptional(),
  destinations: z.record(z.string(), Destination).default({}).describe('By a name of your choice.'),
  alerts: z.array(Alert).exactOptional(),
  webhook_streams: z.array(Stream).exactOptional(),
  members: z.array(Member).exactOptional(),
})
export type ProjectFileV1 = z.output<typeof ProjectFileV1>
