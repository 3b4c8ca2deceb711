// Compares two states of a config in words, for clients without core.
import type { ConfigDocument, RuleOrigin } from '@signalbox/core'
import { type ConfigChange, diffConfigs } from '@signalbox/core/analysis'
import { computeDigest, parseConfigText } from '@signalbox/wire'
import { findEnvironment } from '@/server/environments/environments.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { loadBases } from './bases.sql.ts'
import { listOrigins, resolveConfigText } from './config-text-input.ts'
import { requireConfig } from './configs.ts'
import { findVersionOrigins } from './inheritance.ts'
import { findLiveVersion, findVersion, type VersionRow } from './versions.sql.ts'

export type Side =
  | { readonly environment: string }
  | { readonly version: number }
  | { readonly text: string }

export interface ReadSide {
  readonly label: string
  readonly version: number | null
  readonly digest: string | null
  /** `ns/key@version` of the base; null: none. */
  readonly extends: string | null
}

interface Found extends ReadSide {
  readonly document: ConfigDocument | null
  /** By rule id, where the rules come from; empty: it extends nothing. */
  readonly origins: ReadonlyMap<string, RuleOrigin>
}

export interface ConfigDifference {
  readonly same: boolean
  readonly from: ReadSide
  readonly to: ReadSide
  readonly changes: readonly ConfigChange[]
}

interface Prompt {
  readonly ns: string
  readonly key: string
}

/** Rejects with `not_found` for an unknown config, environment or version, and with `invalid` for a text that is not a config. */
export async function compareConfigs(
  scope: ConfigReader,
  prompt: Prompt,
  sides: { readonly from: Side; readonly to: Side },
): Promise<ConfigDifference> {
  const { id: configId } = await requireConfig(scope, prompt)
  const find = (side: Side, field: string) => findSide(scope, { configId, side, field })
  const [from, to] = await Promise.all([find(sides.from, 'from'), find(sides.to, 'to')])
  const toReadSide = ({ document: _document, origins: _origins, ...side }: Found): ReadSide => side
  const nothing: ConfigDocument = { schema_version: 1, ...prompt }
  const isSame = from.digest === to.digest && from.extends === to.extends
  const changes = isSame
    ? []
    : [
        ...describeBase(from.extends, to.extends),
        ...diffConfigs(from.document, to.document ?? nothing, to.origins),
      ]
  return { same: isSame, from: toReadSide(from), to: toReadSide(to), changes }
}

function describeBase(before: string | null, after: string | null): readonly ConfigChange[] {
  if (before === after) return []
  const [was, is] = [before, after].map((base) => (base === null ? 'none' : `\`${base}\``))
  return [{ kind: 'changed', subject: 'Base', detail: `${was} → ${is}` }]
}

async function findSide(
  scope: ConfigReader,
  { configId, side, field }: { configId: string; side: Side; field: string },
): Promise<Found> {
  if ('text' in side) return await findInText(scope, side.text, field)
  if ('version' in side) {
    const version = await findVersion({ configId, number: side.version })
    if (version !== null) return await findInVersion(scope, version, `v${version.number}`)
    throw new ServiceError('not_found', `There is no version ${side.version}.`, field)
  }
  const name = side.environment
  const { projectId } = scope
  const environment = await findEnvironment({ projectId, name })
  if (environment === null) {
    throw new ServiceError('not_found', `There is no environment "${name}".`, field)
  }
  const version = await findLiveVersion({ projectId, environmentId: environment.id, configId })
  return version === null
    ? { label: `nothing live in ${name}`, version: null, digest: null, document: null, ...ALONE }
    : await findInVersion(scope, version, `v${version.number}, live in ${name}`)
}

/** Extends nothing. */
const ALONE = { extends: null, origins: new Map<string, RuleOrigin>() } as const

async function findInVersion(
  scope: ConfigReader,
  version: VersionRow,
  label: string,
): Promise<Found> {
  const { number, digest, text } = version
  const parsed = parseConfigText(text)
  const inherited = await findVersionOrigins(scope, version)
  return {
    label,
    version: number,
    digest,
    // A version of another build may not parse here; then only the content is compared.
    document: parsed.ok ? parsed.document : null,
    ...(inherited === null
      ? ALONE
      : { extends: inherited.extends, origins: new Map(Object.entries(inherited.origins)) }),
  }
}

async function findInText(scope: ConfigReader, text: string, field: string): Promise<Found> {
  const resolved = resolveConfigText(text, await loadBases(scope, [text]))
  if (!resolved.ok) {
    const problem = resolved.problems[0]
    const what = problem === undefined ? 'it is no config' : `${problem.pointer} ${problem.message}`
    throw new ServiceError('invalid', `The text cannot be compared: ${what.trim()}`, field)
  }
  const { document, value, base, extends: reference } = resolved
  const origins = listOrigins(document, base)
  const digest = computeDigest(value)
  return { label: 'the text', version: null, digest, document, extends: reference, origins }
}
