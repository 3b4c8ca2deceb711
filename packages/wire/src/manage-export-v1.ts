// The export file, version 1, and what an import of it answers (specs/config-as-code.md). No secret, no event, no draft.
import { z } from 'zod'
import { MAX_TEXT_CHARACTERS, VersionNumber } from './manage-v1.ts'
import { Count, Digest, EnvironmentName, Instant, PromptKey, PromptNs } from './names.ts'

const ExportedVersion = z.strictObject({
  number: VersionNumber,
  digest: Digest,
  text: z.string().max(MAX_TEXT_CHARACTERS),
  note: z.string().max(2_000).nullable(),
  author: z.string().max(300).nullable(),
  created_at: Instant,
})
export type ExportedVersion = z.output<typeof ExportedVersion>

export const ExportedConfig = z.strictObject({
  ns: PromptNs,
  key: PromptKey,
  archived: z.boolean(),
  versions: z.array(ExportedVersion).max(10_000).describe('From 1 on, without holes.'),
  live: z.array(z.strictObject({ environment: EnvironmentName, version: VersionNumber })).max(50),
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
  configs: z.array(ExportedConfig).max(1_000),
})
export type ExportV1 = z.output<typeof ExportV1>

export const ImportRequest = z.strictObject({
  dry_run: z.boolean().describe('True, or absent: only say what would happen.').default(true),
  document: ExportV1,
})

export const ImportAnswer = z.looseObject({
  applied: z.boolean().describe('False: nothing was changed.'),
  /** One for each config of the file. */
  configs: z.array(
    z.looseObject({
      ns: PromptNs,
      key: PromptKey,
      action: z.enum(['create', 'add_versions', 'unchanged', 'conflict']),
      detail: z.string(),
      versions_added: Count,
    }),
  ),
  /** What the file says is live and is not: releases, which an import never makes. */
  releases_missing: z.array(
    z.looseObject({
      ns: PromptNs,
      key: PromptKey,
      environment: EnvironmentName,
      version: VersionNumber,
      live: VersionNumber.nullable().describe('What runs there now.'),
      environment_exists: z.boolean(),
    }),
  ),
})
export type ImportAnswer = z.output<typeof ImportAnswer>
