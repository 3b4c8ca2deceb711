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
  requires_note: z.boolean().exactOptional(),
  requires_typed_name: z.boolean().exactOptional(),
  required_approvals: z.int().min(0).max(5).exactOptional(),
  rollback_skips_approval: z.boolean().exactOptional(),
  requires_backtest: z.boolean().exactOptional(),
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
    .exactOptional()
    .describe('Prompt as ns/key; null: any.'),
  runtime: z.string().nullable().exactOptional().describe('Name of a runtime; null: any.'),
  code: z.string().nullable().exactOptional().describe('Reason code; null: any.'),
  window_minutes: z
    .int()
    .min(1)
    .max(1440)
    .exactOptional()
    .describe('A new alert needs it, unless its signal has no window.'),
  threshold: z
    .number()
    .gt(0)
    .exactOptional()
    .describe('A new alert needs it, unless its signal has no threshold.'),
  enabled: z.boolean().exactOptional(),
  destinations: z.array(z.string()).exactOptional().describe('Names in `destinations`.'),
})

const Stream = z.strictObject({
  name: Name,
  url: Address,
  audit: z.boolean().exactOptional(),
  decisions: z.boolean().exactOptional(),
  environment: EnvironmentName.nullable().exactOptional(),
})

const Role = z.enum(['viewer', 'editor', 'publisher', 'admin'])
type Role = z.output<typeof Role>

/** Scopes that allow a key what the role allows a user, so a key needs them to grant the role; null: only users grant it. */
export const ROLE_SCOPES: { readonly [role in Role]: readonly z.output<typeof Scope>[] | null } = {
  viewer: ['read', 'sessions:read'],
  editor: ['read', 'sessions:read', 'publish'],
  publisher: ['read', 'sessions:read', 'publish', 'approvals:answer'],
  admin: null,
}

const Member = z.strictObject({
  email: z.email().toLowerCase(),
  role: Role,
  publish_in: z
    .array(EnvironmentName)
    .nullable()
    .exactOptional()
    .describe('Environments of a publisher; null: all, or another role.'),
})

/** A section or a field that is absent is not managed: it stays as it is. What is created takes the defaults of the product. */
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
