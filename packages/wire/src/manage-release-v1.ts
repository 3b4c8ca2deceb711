import * as z from 'zod/v4'
import { ConfigProblem, VersionNumber } from './manage-v1.ts'
import { Count, EnvironmentName, Instant, PromptKey, PromptNs } from './names.ts'
import { ProblemV1 } from './runtime-v1.ts'

export const RELEASE_KINDS = ['publish', 'promote', 'rollback'] as const

const Note = z
  .string()
  .max(2_000, 'A note has at most 2,000 characters.')
  .describe('What changes and why. Some environments require it.')
const Confirm = z
  .string()
  .max(64)
  .describe("The environment's name again, for environments that require it.")
export const ACKNOWLEDGED = ['runtimes', 'backtest', 'cases', 'claim_unknown'] as const
const acknowledge = z
  .array(z.enum(ACKNOWLEDGED))
  .max(ACKNOWLEDGED.length)
  .describe('Gates that require an acknowledgment, which this request gives.')
export const GUARD_METRICS = ['denials', 'blocks', 'overrides'] as const

const Guard = z
  .strictObject({
    metric: z.enum(GUARD_METRICS).describe('What is counted in each session.'),
    ratio: z.number().min(1).max(100).describe("Allowed multiple of the previous version's mean."),
    min_sessions: z
      .int()
      .min(5)
      .max(100_000)
      .describe('Sessions of each cohort before the guard can fire.'),
  })
  .describe(
    'Condition of the automatic rollback. Absent: more than 1.5 times the denied calls, after 20 sessions each.',
  )
const Stage = z
  .strictObject({
    share: z.int().min(1).max(999).describe('Share of new sessions, per mille.'),
    guard: Guard.exactOptional(),
  })
  .describe('Releases to a share of new sessions first; the live version stays.')
const Watch = z
  .strictObject({ hours: z.int().min(1).max(336), guard: Guard.exactOptional() })
  .describe('Duration for which its sessions are compared with those of the previous version.')
const Tighten = z
  .boolean()
  .describe(
    'Running sessions take over the version immediately if it is at least as strict as theirs.',
  )
const reach = {
  stage: Stage.exactOptional(),
  watch: Watch.exactOptional(),
  tighten: Tighten.exactOptional(),
}

function isOneReach({ stage, watch }: { readonly stage?: unknown; readonly watch?: unknown }) {
  return stage === undefined || watch === undefined
}
const ONE_REACH = { message: 'Give either stage or watch.', path: ['watch'] }

const demands = {
  note: Note.exactOptional(),
  confirm: Confirm.exactOptional(),
  acknowledge: acknowledge.exactOptional(),
}

export const PublishRequest = z
  .strictObject({ environment: EnvironmentName, ...demands, ...reach })
  .refine(isOneReach, ONE_REACH)

export const PromoteRequest = z
  .strictObject({
    to: EnvironmentName.describe('The target environment: that of the key.'),
    from: EnvironmentName.describe(
      'Releases the live version of this environment.',
    ).exactOptional(),
    version: VersionNumber.describe(
      'Releases this version; used instead of `from`.',
    ).exactOptional(),
    expected_live: VersionNumber.nullable()
      .describe('Refused unless this version is live in `to` (null: none). Absent: not checked.')
      .exactOptional(),
    ...demands,
    ...reach,
  })
  .refine(isOneReach, ONE_REACH)
  .refine(({ from, version }) => (from === undefined) !== (version === undefined), {
    message: 'Give either from or version.',
    path: ['from'],
  })

export const RollbackRequest = z.strictObject({
  environment: EnvironmentName,
  to: VersionNumber.describe(
    'A version that was live there before. Absent: the one before the current version.',
  ).exactOptional(),
  expected_live: VersionNumber.describe(
    'Refused unless this version is live. Absent: not checked.',
  ).exactOptional(),
  note: Note.exactOptional(),
  tighten: Tighten.exactOptional(),
})

export const MadeRelease = z.looseObject({
  id: z.string().describe('Id of the release, or of the staged rollout.'),
  environment: EnvironmentName,
  version: VersionNumber,
  previous_version: VersionNumber.nullable(),
  revision: Count,
  rollout_id: z
    .string()
    .nullable()
    .describe('Set when a share of new sessions gets the version first.')
    .exactOptional(),
})
export type MadeRelease = z.output<typeof MadeRelease>

export const ReleaseProblem = ProblemV1.extend({
  code: z.string().describe('Machine-readable reason of the refusal.').exactOptional(),
  gates: z
    .array(z.looseObject({ gate: z.string(), detail: z.string() }))
    .describe('Everything that is missing, each with the next step.')
    .exactOptional(),
  problems: z.array(ConfigProblem).exactOptional(),
})

export const ListedRelease = z.looseObject({
  id: z.string(),
  ns: PromptNs,
  key: PromptKey,
  environment: EnvironmentName,
  kind: z.enum(RELEASE_KINDS),
  version: VersionNumber,
  previous_version: VersionNumber.nullable(),
  revision: Count,
  note: z.string().nullable(),
  author: z.string().nullable(),
  created_at: Instant,
})
export type ListedRelease = z.output<typeof ListedRelease>

export const ReleasePage = z.looseObject({
  releases: z.array(ListedRelease),
  next: z.string().nullable(),
})

export const ReleaseAdoption = z.looseObject({
  id: z.string(),
  environment: EnvironmentName,
  version: VersionNumber,
  revision: Count,
  created_at: Instant,
  status: z
    .enum(['publishing', 'waiting', 'live', 'partial', 'superseded', 'rolled_back'])
    .describe(
      'live: every connected runtime that hosts the prompt applied it, or one did before it disconnected. waiting: none is connected and none applied it.',
    ),
  applied: Count,
  total: Count.describe('Connected runtimes that host the prompt.'),
  runtimes: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      state: z.enum(['applied', 'pending', 'rejected', 'stale']),
      reason: z.string().nullable().describe('Reason for the rejection.'),
    }),
  ),
})
export type ReleaseAdoption = z.output<typeof ReleaseAdoption>

export const EnvironmentList = z.looseObject({
  environments: z
    .array(
      z.looseObject({
        name: EnvironmentName,
        position: Count.describe('Order of promotion, from 0.'),
        revision: Count,
        requires_note: z.boolean(),
        requires_confirm: z.boolean(),
        requires_backtest: z.boolean(),
        required_approvals: Count.describe('Number of people who must approve the content.'),
        rollback_skips_approval: z.boolean(),
      }),
    )
    .describe('In order of promotion.'),
})
export type EnvironmentList = z.output<typeof EnvironmentList>
