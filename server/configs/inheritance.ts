// Where the rules of a config come from, which configs extend it, and the base that a project demands (specs/inheritance.md).
import type { RuleOrigin } from '@signalbox/core'
import { parseConfigText } from '@signalbox/wire'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { ConfigReader, InProject, ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, reader, type Tx } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import {
  type Extender,
  findBaseById,
  findBaseByReference,
  findMandatoryBase,
  listExtenders,
  listWithoutBase,
  type MandatoryBase,
  type WithoutBase,
  writeMandatoryBase,
} from './bases.sql.ts'
import { type KnownBase, listOrigins } from './config-text-input.ts'
import { lockConfig, type PromptName } from './configs.sql.ts'
import { requireConfig } from './configs.ts'
import { findNewestVersion, findVersion, type VersionRow } from './versions.sql.ts'

export interface VersionOrigins {
  /** `ns/key@version` of the base. */
  readonly extends: string
  /** By rule id. */
  readonly origins: Readonly<Record<string, RuleOrigin>>
}

/** Null: the version extends nothing, or another build wrote one of the two. */
export async function findVersionOrigins(
  scope: InProject,
  version: Pick<VersionRow, 'text' | 'baseVersionId'>,
  tx: Tx = reader(),
): Promise<VersionOrigins | null> {
  const base = await findBaseById(scope, version.baseVersionId, tx)
  if (base === null) return null
  const [own, extended] = [parseConfigText(version.text), parseConfigText(base.text)]
  if (!own.ok || !extended.ok) return null
  const origins = listOrigins(own.document, extended.document)
  return { extends: base.reference, origins: Object.fromEntries(origins) }
}

export interface Inheritance {
  /** Number of the version that `base` is about: the newest; null: no version yet. */
  readonly version: number | null
  readonly base: (VersionOrigins & { readonly newest: number; readonly isArchived: boolean }) | null
  readonly extenders: readonly Extender[]
  /** Number of the config's newest version, which its extenders may take over; null: no version yet. */
  readonly newest: number | null
  readonly isMandatory: boolean
}

/** Null: the project has no such version, or another build wrote it. */
export async function findBase(scope: InProject, reference: string): Promise<KnownBase | null> {
  const base = await findBaseByReference(scope, reference)
  if (base === null) return null
  const { versionId: _versionId, configId: _configId, ...known } = base
  return known
}

/** `number` absent: the newest version. Rejects with `not_found`. */
export async function loadInheritance(
  scope: ConfigReader,
  prompt: PromptName,
  number?: number,
): Promise<Inheritance> {
  const { id: configId } = await requireConfig(scope, prompt)
  const [newest, extenders, mandatory] = await Promise.all([
    findNewestVersion({ configId }),
    listExtenders(scope, configId),
    findMandatoryBase(scope),
  ])
  const version = number === undefined ? newest : await findVersion({ configId, number })
  if (number !== undefined && version === null) {
    throw new ServiceError('not_found', `${prompt.ns}/${prompt.key} has no version ${number}.`)
  }
  return {
    version: version?.number ?? null,
    base: version === null ? null : await findCurrentBase(scope, version),
    extenders,
    newest: newest?.number ?? null,
    isMandatory: mandatory?.configId === configId,
  }
}

async function findCurrentBase(
  scope: ConfigReader,
  version: VersionRow,
): Promise<Inheritance['base']> {
  const found = await findVersionOrigins(scope, version)
  const base = found === null ? null : await findBaseByReference(scope, found.extends)
  if (found === null || base === null) return null
  return { ...found, newest: base.newest, isArchived: base.isArchived }
}

export interface MandatoryBaseView {
  readonly base: MandatoryBase | null
  /** Live versions that do not extend it; they go on. */
  readonly without: readonly WithoutBase[]
}

export async function loadMandatoryBase(scope: ConfigReader): Promise<MandatoryBaseView> {
  const base = await findMandatoryBase(scope)
  return { base, without: base === null ? [] : await listWithoutBase(scope, base.configId) }
}

/** `prompt` null: configs need not extend anything. Rejects with `not_found`, and with `conflict` for a config that cannot be a base. */
export async function changeMandatoryBase(
  scope: ProjectScope,
  prompt: PromptName | null,
): Promise<void> {
  const { projectId } = scope
  await inTransaction(async (tx) => {
    const config = prompt === null ? null : await lockConfig(tx, { projectId, ...prompt })
    if (prompt !== null && config === null) {
      throw new ServiceError('not_found', `There is no config "${prompt.ns}/${prompt.key}".`)
    }
    if (config !== null) await requireUsableBase(tx, config)
    const before = await findMandatoryBase(scope, tx)
    await writeMandatoryBase(tx, { projectId, configId: config?.id ?? null })
    const toText = (named: PromptName | null) =>
      named === null ? null : `${named.ns}/${named.key}`
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'mandatory_base.changed',
      target: projectId,
      before: { base: toText(before) },
      after: { base: toText(prompt) },
    })
    await notify(tx, { project: projectId, kind: 'config', id: config?.id ?? projectId })
  })
}

async function requireUsableBase(
  tx: Tx,
  config: PromptName & { readonly id: string; readonly archivedAt: number | null },
): Promise<void> {
  const name = `${config.ns}/${config.key}`
  const newest = await findNewestVersion({ configId: config.id }, tx)
  const why =
    config.archivedAt !== null
      ? 'is archived'
      : newest === null
        ? 'has no version yet'
        : newest.baseVersionId !== null
          ? 'extends another config itself'
          : null
  if (why !== null) throw new ServiceError('conflict', `${name} ${why}, so it cannot be a base.`)
}
