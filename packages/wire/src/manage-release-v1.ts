// Requests and answers of the management API about releases and environments (specs/config-as-code.md).
import { z } from 'zod'
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
const demands = {
  note: Note.exactOptional(),
  confirm: Confirm.exactOptional(),
  acknowledge: acknowledge.exactOptional(),
}

export const PublishRequest = z.strictObject({ environment: EnvironmentName, ...demands })

export const PromoteRequest = z
  .strictObject({
    to: EnvironmentName.describe('The environment that gets the version: that of the key.'),
    from: EnvironmentName.describe('What this environment runs now is released.').exactOptional(),
    version: VersionNumber.describe('Instead of `from`: this version is released.').exactOptional(),
    expected_live: VersionNumber.nullable()
      .describe('Refused when `to` runs another version (null: nothing). Absent: not checked.')
      .exactOptional(),
    ...demands,
  })
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
})

export const MadeRelease = z.looseObject({
  id: z.string(),
  environment: EnvironmentName,
  version: VersionNumber,
  previous_version: VersionNumber.nullable(),
  revision: Count,
})
export type MadeRelease = z.output<typeof MadeRelease>

/** A problem that says which gates are missing, and what is wrong in the config. */
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
    .describe('live: every connected runtime applied it. waiting: none is connected.'),
  applied: Count,
  total: Count.describe('Connected runtimes.'),
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
      }),
    )
    .describe('In order of promotion.'),
})
export type EnvironmentList = z.output<typeof EnvironmentList>
