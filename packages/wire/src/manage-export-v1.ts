// Contains no secrets and no drafts, and recorded events only if pinned cases, which rest on them, were requested.
import * as z from 'zod/v4'
import { Claim } from './claims-v1.ts'
import { MAX_TEXT_CHARACTERS, VersionNumber } from './manage-v1.ts'
import { Count, Digest, EnvironmentName, Instant, PromptKey, PromptNs, SessionId } from './names.ts'

const MOST_CONFIGS = 10_000
/** Largest number of events on which a pinned case may rest (specs/backtest.md). */
const MOST_LOG_EVENTS = 50_000

const ExportedVersion = z.strictObject({
  number: VersionNumber,
  digest: Digest,
  text: z.string().max(MAX_TEXT_CHARACTERS),
  note: z.string().max(2_000).nullable(),
  author: z.string().max(300).nullable(),
  created_at: Instant,
})
export type ExportedVersion = z.output<typeof ExportedVersion>

const CaseVerdict = z.enum(['allowed', 'denied', 'blocked'])

const ExportedCase = z.strictObject({
  session: SessionId,
  seq: z
    .int()
    .min(1)
    .max(MOST_LOG_EVENTS)
    .describe('Sequence number of the event that recorded the decision.'),
  kind: z.enum(['call', 'stop']),
  call_id: z.string().max(200).nullable().describe('Null for a stop.'),
  name: z.string().max(10_000).describe('The sentence of the recorded decision.'),
  recorded: CaseVerdict,
  expected: CaseVerdict,
  note: z.string().max(2_000).nullable(),
  environment: EnvironmentName,
  config_digest: Digest.nullable().describe('Digest of the config that the session ran under.'),
  author: z.string().max(300).nullable(),
  created_at: Instant,
})
export type ExportedCase = z.output<typeof ExportedCase>

const ExportedLog = z.strictObject({
  session: SessionId,
  events: z
    .array(
      z.strictObject({
        seq: z.int().min(1).max(MOST_LOG_EVENTS),
        at: Instant,
        type: z.string().max(100),
        data: z.record(z.string(), z.unknown()),
      }),
    )
    .max(MOST_LOG_EVENTS)
    .describe(
      'Events that determine the state, up to the last case, in order; without the decisions.',
    ),
})
export type ExportedLog = z.output<typeof ExportedLog>

export const ExportedConfig = z.strictObject({
  ns: PromptNs,
  key: PromptKey,
  archived: z.boolean(),
  versions: z.array(ExportedVersion).max(10_000).describe('From 1, without gaps.'),
  live: z.array(z.strictObject({ environment: EnvironmentName, version: VersionNumber })).max(50),
  claims: z
    .array(Claim)
    .max(1_000)
    .optional()
    .describe('What must hold for every run. Absent: there are none.'),
  cases: z.array(ExportedCase).max(1_000).optional().describe('Present only if requested.'),
})
export type ExportedConfig = z.output<typeof ExportedConfig>

export const ExportV1 = z.strictObject({
  export_version: z.literal(1),
  project: z.string().max(100),
  exported_at: Instant,
  environments: z
    .array(
      z.strictObject({
        name: EnvironmentName,
        position: Count,
        requires_note: z.boolean(),
        requires_confirm: z.boolean(),
      }),
    )
    .max(50),
  configs: z.array(ExportedConfig).max(MOST_CONFIGS),
  logs: z
    .array(ExportedLog)
    .max(MOST_CONFIGS)
    .optional()
    .describe('Logs of the cases, one per session.'),
})
export type ExportV1 = z.output<typeof ExportV1>

export const ImportRequest = z.strictObject({
  dry_run: z.boolean().describe('True (default): only report what would happen.').default(true),
  document: ExportV1,
})

export const ImportAnswer = z.looseObject({
  applied: z.boolean().describe('False: nothing was changed.'),
  configs: z.array(
    z.looseObject({
      ns: PromptNs,
      key: PromptKey,
      action: z
        .enum(['create', 'add_versions', 'add_cases', 'unchanged', 'conflict'])
        .describe('`add_cases`: only pinned cases or claims.'),
      detail: z.string(),
      versions_added: Count,
      cases_added: Count.default(0),
      claims_added: Count.default(0),
    }),
  ),
  /** Releases that the file lists as live but that are missing here. An import never creates releases. */
  releases_missing: z.array(
    z.looseObject({
      ns: PromptNs,
      key: PromptKey,
      environment: EnvironmentName,
      version: VersionNumber,
      live: VersionNumber.nullable().describe('Live versions of the environment.'),
      environment_exists: z.boolean(),
    }),
  ),
})
export type ImportAnswer = z.output<typeof ImportAnswer>
