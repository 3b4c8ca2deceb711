// `@signalbox/cli/permissions`: permissions of coding agents as a config (specs/import-permissions.md). Nothing is executed or fetched.
// Command and console share this code, so it also runs in browsers: no Node modules.
import type { ConfigDocument } from '@signalbox/core'
import { byteLength, MAX_CONFIG_BYTES } from '@signalbox/wire'
import { Unusable } from '../base/io.ts'
import { CLAUDE_LIMITS, convertClaude } from './claude-settings.ts'
import { CODEX_LIMITS, convertCodex } from './codex-settings.ts'
import type { PermissionFile, ReportLine } from './report.ts'
import { buildRules } from './rules.ts'

export type { Conversion, Level, PermissionFile, ReportLine } from './report.ts'
export { guessLevel, LEVELS } from './report.ts'

export const MAX_FILES = 4
/** Sum over all files. */
export const MAX_BYTES = 1024 * 1024
export const MAX_ENTRIES = 5_000

const SOURCES = {
  claude: { title: 'Claude Code', convert: convertClaude, limits: CLAUDE_LIMITS },
  codex: { title: 'Codex', convert: convertCodex, limits: CODEX_LIMITS },
} as const

export type PermissionSource = keyof typeof SOURCES
// Object.keys is typed as a list of strings.
export const PERMISSION_SOURCES = Object.keys(SOURCES) as readonly PermissionSource[]

export interface ImportedPermissions {
  readonly document: ConfigDocument
  /** One for each entry, in order of precedence of the files. */
  readonly lines: readonly ReportLine[]
  /** Calls that the agent restricts without an entry, or that no rule can see. */
  readonly limits: readonly string[]
}

interface Prompt {
  readonly ns: string
  readonly key: string
}

/** Throws Unusable. */
export function requireFewFiles({ length }: readonly unknown[]): void {
  if (length > MAX_FILES) throw new Unusable(`Import at most ${MAX_FILES} files at once.`)
}

/** Throws Unusable for a file that cannot be read, and for more files or entries than one config can hold. */
export function importPermissions(
  source: PermissionSource,
  files: readonly PermissionFile[],
  { ns, key }: Prompt,
): ImportedPermissions {
  requireFewFiles(files)
  const bytes = files.reduce((sum, { text }) => sum + byteLength(text), 0)
  if (bytes > MAX_BYTES) throw new Unusable('The files are larger than 1 MiB together.')
  const { title, convert, limits } = SOURCES[source]
  const converted = convert(files)
  if (converted.length > MAX_ENTRIES)
    throw new Unusable(
      `The files have ${converted.length} entries; at most ${MAX_ENTRIES} can be imported.`,
    )
  const { policies, aliases, lines } = buildRules(converted)
  const document: ConfigDocument = {
    schema_version: 1,
    ns,
    key,
    description: `Imported from the permissions of ${title}.`,
    ...(Object.keys(aliases).length === 0 ? {} : { aliases }),
    policies,
  }
  if (byteLength(JSON.stringify(document)) > MAX_CONFIG_BYTES)
    throw new Unusable('The rules do not fit into one config. Import fewer files at once.')
  return { document, lines, limits }
}
