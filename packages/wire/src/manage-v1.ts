// Requests are closed. Responses are open, so that a newer server may add fields (specs/config-as-code.md).
import * as z from 'zod/v4'
import { Count, Digest, EnvironmentName, Instant, PromptKey, PromptNs } from './names.ts'

/** Longer texts are refused: a config has at most 1 MiB, and rows are not a file store. */
export const MAX_TEXT_CHARACTERS = 4 * 1024 * 1024

export const VersionNumber = z.int().min(1).max(2_147_483_647).describe('Number of a version.')
const DraftText = z
  .string()
  .max(MAX_TEXT_CHARACTERS, 'The text is longer than 4 MiB. A config has at most 1 MiB.')
  .describe('The JSON text as typed, valid or not.')
const Author = z.string().nullable().describe('Name of the user or key; null if deleted.')
/** Opaque: `next` of the previous page. */
const Next = z
  .string()
  .nullable()
  .describe('Pass it as `after` to get the next page; null on the last page.')

export const LivePointer = z.looseObject({
  environment: EnvironmentName,
  version: VersionNumber,
  digest: Digest,
  release_id: z.string(),
  revision: Count.describe('Bundle revision of the environment that contains it.'),
  released_at: Instant,
  author: Author,
})
export type LivePointer = z.output<typeof LivePointer>

export const ManagedConfig = z.looseObject({
  ns: PromptNs,
  key: PromptKey,
  archived_at: Instant.nullable(),
  newest_version: VersionNumber.nullable().describe('Null before the first version.'),
  live: z.array(LivePointer).describe('In order of promotion.'),
})
export type ManagedConfig = z.output<typeof ManagedConfig>

export const ConfigPage = z.looseObject({ configs: z.array(ManagedConfig), next: Next })
export type ConfigPage = z.output<typeof ConfigPage>

export const ConfigCreation = z.strictObject({
  ns: PromptNs,
  key: PromptKey,
  text: DraftText.describe('Text of the first draft. Absent: a blank config.').exactOptional(),
})

export const ConfigUpdate = z.strictObject({
  archived: z
    .boolean()
    .describe(
      'Archives or restores a config. A config that is live in an environment cannot be archived.',
    ),
})

export const ManagedDraft = z.looseObject({
  id: z.string(),
  revision: VersionNumber.describe('Grows with every save.'),
  text: z.string(),
  base_version: VersionNumber.nullable().describe('The version that the draft is based on.'),
  updated_at: Instant,
  updated_by: Author,
})
export type ManagedDraft = z.output<typeof ManagedDraft>

export const DraftWrite = z.strictObject({
  text: DraftText,
  base_version: VersionNumber.nullable()
    .describe('The version that the text is based on. Absent: unchanged, or none for a new draft.')
    .exactOptional(),
})

export const SavedDraft = z.looseObject({
  id: z.string(),
  revision: VersionNumber,
  base_version: VersionNumber.nullable(),
})
export type SavedDraft = z.output<typeof SavedDraft>

export const ManagedVersion = z.looseObject({
  number: VersionNumber,
  digest: Digest,
  note: z.string().nullable(),
  author: Author,
  created_at: Instant,
})
export type ManagedVersion = z.output<typeof ManagedVersion>

export const VersionPage = z.looseObject({ versions: z.array(ManagedVersion), next: Next })

export const VersionText = ManagedVersion.omit({ author: true }).extend({
  text: z.string().describe('The flat document that runtimes get, formatting kept.'),
  source: z
    .string()
    .describe('The text as written, which may have `extends`. Absent: from an older server.')
    .exactOptional(),
})
export type VersionText = z.output<typeof VersionText>

const ComparedSide = z.union([
  z.strictObject({ environment: EnvironmentName.describe('The live version of the environment.') }),
  z.strictObject({ version: VersionNumber }),
  z.strictObject({ text: DraftText }),
])

export const DiffRequest = z.strictObject({ from: ComparedSide, to: ComparedSide })

const DiffSide = z.looseObject({
  label: z.string().describe('`v3, live in dev`, `v3`, `the text`, or `nothing`.'),
  version: VersionNumber.nullable(),
  digest: Digest.nullable().describe('Null: there is none.'),
  extends: z
    .string()
    .nullable()
    .describe('Version that it extends; null: none. Absent: from an older server.')
    .exactOptional(),
})

const Origin = z
  .enum(['base', 'stricter', 'own'])
  .describe('base: as in the base. stricter: of the base, changed here. own: only here.')

export const DiffAnswer = z.looseObject({
  same: z.boolean().describe('True: both have the same content, regardless of formatting.'),
  from: DiffSide,
  to: DiffSide,
  changes: z.array(
    z.looseObject({
      kind: z.enum(['added', 'removed', 'changed']),
      subject: z.string().describe('Names are in backticks.'),
      detail: z.string(),
      origin: Origin.describe(
        'Where the rule comes from. Absent: it is no rule, or nothing is extended.',
      ).exactOptional(),
    }),
  ),
})
export type DiffAnswer = z.output<typeof DiffAnswer>

export const LintRequest = z.strictObject({
  text: DraftText,
  ns: PromptNs.describe('The prompt that the text must name. Absent: any.').exactOptional(),
  key: PromptKey.exactOptional(),
})

export const ConfigProblem = z.looseObject({
  pointer: z.string().describe('JSON pointer into the document; empty: the document itself.'),
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
})
export type ConfigProblem = z.output<typeof ConfigProblem>

export const LintAnswer = z.looseObject({
  publishable: z.boolean().describe('False: a problem of severity error is among them.'),
  digest: Digest.nullable().describe('Null for a text without one.'),
  problems: z.array(ConfigProblem),
})
export type LintAnswer = z.output<typeof LintAnswer>

const Extender = z.looseObject({
  ns: PromptNs,
  key: PromptKey,
  version: VersionNumber,
  base: VersionNumber.describe('Number of the version of this config that it extends.'),
  environments: z.array(EnvironmentName).describe('Where it is live; empty: nowhere.'),
})

export const InheritanceAnswer = z.looseObject({
  version: VersionNumber.nullable().describe('The newest version; null: there is none yet.'),
  base: z
    .looseObject({
      extends: z.string().describe('`ns/key@version`.'),
      newest: VersionNumber.describe('Newest version of the base, to take over in a draft.'),
      archived: z.boolean(),
      origins: z.record(z.string(), Origin).describe('By rule id.'),
    })
    .nullable()
    .describe('Null: it extends nothing.'),
  extenders: z.array(Extender).describe('Live and newest versions that extend this config.'),
  mandatory: z.boolean().describe('True: every config of the project must extend this one.'),
})

export const MandatoryBaseAnswer = z.looseObject({
  base: z
    .looseObject({ ns: PromptNs, key: PromptKey, newest_version: VersionNumber })
    .nullable()
    .describe('Config that every config must extend to be released; null: none.'),
  without: z
    .array(
      z.looseObject({
        ns: PromptNs,
        key: PromptKey,
        version: VersionNumber,
        environments: z.array(EnvironmentName),
      }),
    )
    .describe('Live versions that do not extend it; they go on.'),
})
