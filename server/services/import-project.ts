// Takes in an export: adds the configs and versions that are missing, in one transaction, all or nothing. Taken in again it
// changes nothing. What runs where is never touched: releases have gates, and an import has none.
import { digestOf, type ExportedConfig, type ExportV1, parseConfigText } from '@signalbox/wire'
import { type Actor, actorIdOf } from '../auth/scope.ts'
import { ServiceError } from '../errors.ts'
import { actorOf, recordAudit } from '../repositories/audit.ts'
import { insertConfig, lockConfig, setArchivedAt } from '../repositories/configs.ts'
import { listEnvironments } from '../repositories/environments.ts'
import { inTransaction, type Tx } from '../repositories/transaction.ts'
import { findLiveVersion, insertVersions, listDigests } from '../repositories/versions.ts'
import { notify } from './live-bus.ts'

export interface ImportedConfig {
  readonly ns: string
  readonly key: string
  readonly action: 'create' | 'add_versions' | 'unchanged' | 'conflict'
  readonly detail: string
  readonly versionsAdded: number
}

export interface MissingRelease {
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly version: number
  readonly live: number | null
  readonly environmentExists: boolean
}

export interface ImportResult {
  readonly applied: boolean
  readonly configs: readonly ImportedConfig[]
  readonly releasesMissing: readonly MissingRelease[]
}

class Undo extends Error {}

/**
 * With `dryRun` says what would happen; without it does it, unless a config conflicts: then nothing is done. Rejects with
 * `invalid` for a file that was changed by hand so that a digest or a number does not fit.
 */
export async function importProject(
  actor: Actor,
  document: ExportV1,
  { dryRun }: { readonly dryRun: boolean },
): Promise<ImportResult> {
  requireWhole(document)
  let result: ImportResult = { applied: false, configs: [], releasesMissing: [] }
  try {
    await inTransaction(async (tx) => {
      const configs: ImportedConfig[] = []
      // In one order, so that two imports at once wait for each other instead of for ever.
      for (const config of inOrder(document.configs)) configs.push(await take(tx, actor, config))
      const releasesMissing = await missingReleases(tx, actor, document)
      const isRefused = configs.some(({ action }) => action === 'conflict')
      const isChange = configs.some(({ action }) => action !== 'unchanged')
      const applied = !dryRun && !isRefused
      result = { applied, configs, releasesMissing }
      if (!applied) throw new Undo()
      if (isChange) await noteImport(tx, actor, configs)
    })
  } catch (error) {
    if (!(error instanceof Undo)) throw error
  }
  return result
}

function inOrder(configs: readonly ExportedConfig[]): readonly ExportedConfig[] {
  const name = ({ ns, key }: ExportedConfig) => `${ns}/${key}`
  return configs.toSorted((a, b) => (name(a) < name(b) ? -1 : 1))
}

function requireWhole({ configs }: ExportV1): void {
  const names = new Set<string>()
  for (const [index, config] of configs.entries()) {
    const name = `${config.ns}/${config.key}`
    const pointer = `/document/configs/${index}`
    if (names.has(name)) throw new ServiceError('invalid', `${name} is in the file twice.`, pointer)
    names.add(name)
    for (const [place, version] of config.versions.entries()) {
      const problem = problemOf(config, version, place + 1)
      if (problem === null) continue
      const field = `${pointer}/versions/${place}`
      throw new ServiceError('invalid', `v${version.number} of ${name} ${problem}`, field)
    }
  }
}

function problemOf(
  { ns, key }: ExportedConfig,
  version: ExportedConfig['versions'][number],
  expected: number,
): string | null {
  if (version.number !== expected) {
    return `stands where v${expected} should be. Versions go from 1 on, without holes.`
  }
  const parsed = parseConfigText(version.text)
  if (!parsed.ok)
    return `is not a config that this server reads: ${parsed.problems[0]?.message ?? ''}`
  const { document, value } = parsed
  if (document.ns !== ns || document.key !== key) {
    return `names the prompt ${document.ns}/${document.key}.`
  }
  return digestOf(value) === version.digest
    ? null
    : 'does not have the digest that stands beside it.'
}

async function take(tx: Tx, actor: Actor, config: ExportedConfig): Promise<ImportedConfig> {
  const { projectId } = actor
  const { ns, key, versions } = config
  const created = await insertConfig(tx, { projectId, ns, key })
  const row = await lockConfig(tx, { projectId, ns, key })
  const configId = row?.id ?? ''
  const here = await listDigests(tx, configId)
  const other = here.find(({ number, digest }) => {
    const version = versions[number - 1]
    return version !== undefined && version.digest !== digest
  })
  const told = (action: ImportedConfig['action'], detail: string, versionsAdded = 0) => ({
    ...{ ns, key, action, detail, versionsAdded },
  })
  if (other !== undefined) {
    return told('conflict', `v${other.number} here has other content than in the file`)
  }
  const added = versions.slice(here.length)
  await addVersions(tx, actor, { configId, after: here.length, added })
  const isNew = created !== null
  if (isNew && config.archived) await setArchivedAt(tx, { id: configId, at: new Date() })
  const count = `${added.length} version${added.length === 1 ? '' : 's'}`
  if (isNew) return told('create', `new, with ${count}`, added.length)
  if (added.length === 0) return told('unchanged', 'is here already')
  return told('add_versions', `${count} after v${here.length}`, added.length)
}

async function addVersions(
  tx: Tx,
  actor: Actor,
  {
    configId,
    after,
    added,
  }: { configId: string; after: number; added: ExportedConfig['versions'] },
): Promise<void> {
  if (added.length === 0) return
  const { projectId } = actor
  const authorId = actorIdOf(actor)
  const versions = added.map(({ digest, text, note }) => {
    const parsed = parseConfigText(text)
    if (!parsed.ok) throw new Error('A version that was read is not read again.')
    return {
      projectId,
      configId,
      digest,
      text,
      document: parsed.value,
      note,
      authorId,
      editedBy: authorId,
    }
  })
  await insertVersions(tx, after, versions)
  await notify(tx, { project: projectId, kind: 'config', id: configId })
}

async function missingReleases(
  tx: Tx,
  actor: Actor,
  document: ExportV1,
): Promise<readonly MissingRelease[]> {
  const { projectId } = actor
  const environments = new Map(
    (await listEnvironments(projectId, tx)).map(({ name, id }) => [name, id]),
  )
  const missing: MissingRelease[] = []
  for (const { ns, key, live, versions } of inOrder(document.configs)) {
    const config = await lockConfig(tx, { projectId, ns, key })
    if (config === null) continue
    for (const { environment, version } of live) {
      const environmentId = environments.get(environment)
      const now =
        environmentId === undefined
          ? null
          : await findLiveVersion({ environmentId, configId: config.id }, tx)
      if (now !== null && now.digest === versions[version - 1]?.digest) continue
      const environmentExists = environmentId !== undefined
      missing.push({ ns, key, environment, version, live: now?.number ?? null, environmentExists })
    }
  }
  return missing
}

async function noteImport(tx: Tx, actor: Actor, configs: readonly ImportedConfig[]): Promise<void> {
  const changed = configs.filter(({ action }) => action !== 'unchanged')
  await recordAudit(tx, {
    projectId: actor.projectId,
    ...actorOf(actor),
    action: 'project.imported',
    target: actor.projectId,
    after: {
      configs: changed.slice(0, 100).map(({ ns, key, detail }) => `${ns}/${key}: ${detail}`),
      count: changed.length,
    },
  })
}
