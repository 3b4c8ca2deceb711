// Requests and answers of the management API about releases and environments (specs/config-as-code.md).
import * as z from 'zod/v4'
import { ConfigProblem, VersionNumber } from './manage-v1.ts'
import { Count, EnvironmentName, Instant, PromptKey, PromptNs } from './names.ts'
import { ProblemV1 } from './runtime-v1.ts'

export const RELEASE_KINDS = ['publish', 'promote', 'rollback'] as const

const Note = z
  .string()
  .max(2_000, 'A note has at most 2,000 characters.')
  .describe('What changes and why. Some environments demand it.')
const Confirm = z
  .string()
  .max(64)
  .describe("The environment's name once more, for environments that demand it.")
export const ACKNOWLEDGED = ['runtimes', 'backtest', 'cases'] as const
const acknowledge = z
  .array(z.enum(ACKNOWLEDGED))
  .max(ACKNOWLEDGED.length)
  .describe('Gates that ask and are passed with open eyes.')
export const GUARD_METRICS = ['denials', 'blocks', 'overrides'] as const

const Guard = z
  .strictObject({
    metric: z.enum(GUARD_METRICS).describe('What is counted per session.'),
    ratio: z.number().min(1).max(100).describe("How many times the base's mean is allowed."),
    min_sessions: z.int().min(5).max(100_000).describe('Of each cohort, before anything is said.'),
  })
  .describe(
    'When it goes back by itself. Absent: above 1.5 times the denied calls, after 20 sessions each.',
  )
const Stage = z
  .strictObject({
    share: z.int().min(1).max(999).describe('Of new sessions, per mille.'),
    guard: Guard.exactOptional(),
  })
  .describe('A share of new sessions gets it first; the version in force stays.')
const Watch = z
  .strictObject({ hours: z.int().min(1).max(336), guard: Guard.exactOptional() })
  .describe('Its sessions are compared with those before, for so long.')
const Tighten = z
  .boolean()
  .describe('Running sessions take it at once, where it is at least as strict as theirs.')
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
    to: EnvironmentName.describe('The environment that gets the version: that of the key.'),
    from: EnvironmentName.describe('What this environment runs now is released.').exactOptional(),
    version: VersionNumber.describe('Instead of `from`: this version is released.').exactOptional(),
    expected_live: VersionNumber.nullable()
      .describe('Refused when `to` runs another version (null: nothing). Absent: not checked.')
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
    'A version that ran there before. Absent: the one before the current.',
  ).exactOptional(),
  expected_live: VersionNumber.describe(
    'Refused when another version runs. Absent: not checked.',
  ).exactOptional(),
  note: Note.exactOptional(),
  tighten: Tighten.exactOptional(),
})

export const MadeRelease = z.looseObject({
  id: z.string().describe('Of the release; of the rollout when it is staged.'),
  environment: EnvironmentName,
  version: VersionNumber,
  previous_version: VersionNumber.nullable(),
  revision: Count,
  rollout_id: z
    .string()
    .nullable()
    .describe('Set when a share of new sessions gets it first.')
    .exactOptional(),
})
export type MadeRelease = z.output<typeof MadeRelease>

/** A problem that lists the missing gates and the errors of the config. */
export const ReleaseProblem = ProblemV1.extend({
  code: z.string().describe('Why it was refused, for programs.').exactOptional(),
  gates: z
    .array(z.looseObject({ gate: z.string(), detail: z.string() }))
    .describe('Everything that is missing, each with what to do.')
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
      'live: every connected runtime that hosts the prompt applied it, or one did before it left. waiting: none is connected and none applied it.',
    ),
  applied: Count,
  total: Count.describe('Connected runtimes that host the prompt.'),
  runtimes: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      state: z.enum(['applied', 'pending', 'rejected', 'stale']),
      reason: z.string().nullable().describe('Why it was rejected.'),
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
        required_approvals: Count.describe('People who must approve the content.'),
      }),
    )
    .describe('In order of promotion.'),
})
export type EnvironmentList = z.output<typeof EnvironmentList>
