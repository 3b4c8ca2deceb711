// Configs as the console lists and shows them, and the two things done to a whole config: create and archive.
import { type ConfigDocument, isComposite } from '@signalbox/core'
import { parseConfigText } from '@signalbox/wire'
import { type Actor, actorIdOf, type ConfigReader } from '../auth/scope.ts'
import { ServiceError } from '../errors.ts'
import {
  countLiveSessions,
  countsByPrompt,
  denialsByRule,
  listConfigRows,
  listPointers,
  listReleases,
  listVersions,
  type PointerRow,
  type PromptCounts,
  type ReleaseListRow,
  type VersionListRow,
} from '../read-models/config-list.ts'
import { actorOf, recordAudit } from '../repositories/audit.ts'
import {
  type ConfigRow,
  countPointers,
  findConfig,
  insertConfig,
  lockConfig,
  type PromptName,
  setArchivedAt,
} from '../repositories/configs.ts'
import { insertDraft } from '../repositories/drafts.ts'
import { listCustomTypes } from '../repositories/runtimes.ts'
import { inTransaction } from '../repositories/transaction.ts'
import { findVersion } from '../repositories/versions.ts'
import { type TemplateName, templateText } from './config-templates.ts'
import { type DraftState, draftState } from './config-text.ts'
import { notify } from './live-bus.ts'
import { type ListedRuntime, runtimesOf } from './runtime-list.ts'
import { LOST_AFTER_MS } from './session-status.ts'

const DAY_MS = 86_400_000

export interface RuleCounts {
  readonly policies: number
  readonly providers: number
  readonly checks: number
}

export interface ListedConfig {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly archivedAt: number | null
  readonly newestVersion: number | null
  readonly lastReleasedAt: number | null
  /** Of the version live furthest along the chain; null before the first version. */
  readonly rules: RuleCounts | null
  readonly pointers: readonly PointerRow[]
  readonly draft: {
    readonly state: DraftState
    readonly author: string | null
    readonly updatedAt: number
  } | null
  /** Connected runtimes that host the prompt, and how many of them run what their environment names. */
  readonly runtimes: { readonly inSync: number; readonly total: number }
  /** Over the last 24 hours; null when the prompt had no session. */
  readonly day: PromptCounts | null
}

export interface ConfigList {
  readonly configs: readonly ListedConfig[]
  /** Prompts that connected runtimes report and no config governs. */
  readonly unmanaged: readonly { readonly prompt: string; readonly runtimes: number }[]
}

function countCheckers(checker: ConfigDocument['task_completion_checker']): number {
  if (checker === undefined) return 0
  if (!isComposite(checker)) return 1
  return checker.checkers.reduce((sum, child) => sum + countCheckers(child), 0)
}

function countPolicies(section: {
  readonly policies?: ConfigDocument['policies']
  readonly sections?: ConfigDocument['sections']
}): number {
  const below = (section.sections ?? []).reduce((sum, child) => sum + countPolicies(child), 0)
  return (section.policies?.length ?? 0) + below
}

/** Null when the text is not a config of this build; a stored version always is one of some build. */
function ruleCounts(text: string | null): RuleCounts | null {
  const parsed = text === null ? null : parseConfigText(text)
  if (parsed?.ok !== true) return null
  const { document } = parsed
  return {
    policies: countPolicies(document),
    providers: document.feedback_providers?.length ?? 0,
    checks: countCheckers(document.task_completion_checker),
  }
}

export async function listConfigs(
  scope: ConfigReader,
  filter: { readonly archived: boolean },
): Promise<ConfigList> {
  const [rows, pointers, runtimes, customTypes, counts] = await Promise.all([
    listConfigRows(scope, filter),
    listPointers(scope),
    runtimesOf(scope),
    listCustomTypes(scope),
    countsByPrompt(scope, Date.now() - DAY_MS),
  ])
  const connected = runtimes.filter(({ connection }) => connection === 'connected')
  const day = new Map(counts.map((row) => [`${row.ns}/${row.key}`, row]))
  const configs = rows.map((row): ListedConfig => {
    const { id, ns, key, archivedAt, newestVersion, lastReleasedAt } = row
    const hosts = connected.filter(({ prompts }) => prompts.includes(`${ns}/${key}`))
    const inSync = hosts.filter(({ sync }) => sync === 'in_sync').length
    return {
      ...{ id, ns, key, archivedAt, newestVersion, lastReleasedAt },
      rules: ruleCounts(row.text),
      pointers: pointers.filter(({ configId }) => configId === id),
      draft: draftOf(row, customTypes),
      runtimes: { inSync, total: hosts.length },
      day: day.get(`${ns}/${key}`) ?? null,
    }
  })
  return { configs, unmanaged: filter.archived ? [] : unmanagedOf(configs, connected) }
}

function draftOf(
  row: Awaited<ReturnType<typeof listConfigRows>>[number],
  customTypes: readonly string[],
): ListedConfig['draft'] {
  const { draftText: text, draftUpdatedAt: updatedAt, draftAuthor: author, baseText } = row
  if (text === null || updatedAt === null) return null
  return {
    state: draftState({ text, baseText }, { ns: row.ns, key: row.key, customTypes }),
    author,
    updatedAt,
  }
}

function unmanagedOf(
  configs: readonly ListedConfig[],
  runtimes: readonly ListedRuntime[],
): ConfigList['unmanaged'] {
  const managed = new Set(configs.map(({ ns, key }) => `${ns}/${key}`))
  const hosts = new Map<string, number>()
  for (const prompt of runtimes.flatMap(({ prompts }) => prompts)) {
    if (!managed.has(prompt)) hosts.set(prompt, (hosts.get(prompt) ?? 0) + 1)
  }
  return [...hosts].map(([prompt, count]) => ({ prompt, runtimes: count })).slice(0, 50)
}

export async function requireConfig(scope: ConfigReader, prompt: PromptName): Promise<ConfigRow> {
  const config = await findConfig(scope, prompt)
  if (config === null) {
    throw new ServiceError('not_found', `There is no config "${prompt.ns}/${prompt.key}".`)
  }
  return config
}

export interface ConfigDetail extends ConfigRow {
  readonly pointers: readonly PointerRow[]
  readonly versions: readonly VersionListRow[]
  readonly releases: readonly ReleaseListRow[]
  readonly runtimes: readonly ListedRuntime[]
  /** Denials of the last 7 days by rule id. */
  readonly firedByRule: readonly { readonly rule: string; readonly count: number }[]
  readonly liveSessions: readonly { readonly environment: string; readonly count: number }[]
}

/** Rejects with `not_found`. `runtimes` are those that host the prompt and are connected or stale. */
export async function configDetail(scope: ConfigReader, prompt: PromptName): Promise<ConfigDetail> {
  const config = await requireConfig(scope, prompt)
  const { ns, key } = config
  const now = Date.now()
  const [pointers, versions, releases, runtimes, firedByRule, liveSessions] = await Promise.all([
    listPointers(scope, config.id),
    listVersions(scope, config.id),
    listReleases(scope, config.id),
    runtimesOf(scope),
    denialsByRule(scope, { ns, key, since: now - 7 * DAY_MS }),
    countLiveSessions(scope, { ns, key, since: now - LOST_AFTER_MS }),
  ])
  const hosting = runtimes.filter(
    ({ connection, prompts }) => connection !== 'disconnected' && prompts.includes(`${ns}/${key}`),
  )
  return { ...config, pointers, versions, releases, runtimes: hosting, firedByRule, liveSessions }
}

export interface VersionText {
  readonly number: number
  readonly digest: string
  readonly text: string
  readonly note: string | null
  readonly createdAt: number
}

/** Rejects with `not_found`. */
export async function versionText(
  scope: ConfigReader,
  prompt: PromptName,
  number: number,
): Promise<VersionText> {
  const config = await requireConfig(scope, prompt)
  const version = await findVersion({ configId: config.id, number })
  if (version === null) {
    throw new ServiceError('not_found', `${prompt.ns}/${prompt.key} has no version ${number}.`)
  }
  const { digest, text, note, createdAt } = version
  return { number, digest, text, note, createdAt }
}

export interface NewConfig extends PromptName {
  readonly template: TemplateName
  /** Instead of the template: a document's text, taken as it is, valid or not. */
  readonly text?: string | undefined
}

/** Makes the config with a first draft. Rejects with `conflict` when the name is taken. */
export async function createConfig(
  scope: Actor,
  input: NewConfig,
): Promise<{ readonly id: string }> {
  const { projectId } = scope
  const authorId = actorIdOf(scope)
  const { ns, key } = input
  const id = await inTransaction(async (tx) => {
    const configId = await insertConfig(tx, { projectId, ns, key })
    if (configId === null) {
      throw new ServiceError('conflict', `"${ns}/${key}" has a config already.`, 'key')
    }
    const text = input.text ?? templateText(input, input.template)
    await insertDraft(tx, { projectId, configId, text, baseVersion: null, authorId })
    await recordAudit(tx, {
      projectId,
      ...actorOf(scope),
      action: 'config.created',
      target: configId,
      after: { config: `${ns}/${key}` },
    })
    await notify(tx, { project: projectId, kind: 'config', id: configId })
    return configId
  })
  return { id }
}

/** Rejects with `conflict` while an environment runs the config: archiving must not change what is enforced. */
export async function setArchived(
  scope: Actor,
  prompt: PromptName,
  archived: boolean,
): Promise<void> {
  const { projectId } = scope
  await inTransaction(async (tx) => {
    const config = await lockConfig(tx, { projectId, ns: prompt.ns, key: prompt.key })
    if (config === null) throw new ServiceError('not_found', 'There is no such config.')
    if ((config.archivedAt !== null) === archived) return
    if (archived && (await countPointers(tx, config.id)) > 0) {
      throw new ServiceError(
        'conflict',
        `${prompt.ns}/${prompt.key} is live in an environment, so it cannot be archived. Only configs that no environment runs can be.`,
      )
    }
    await setArchivedAt(tx, { id: config.id, at: archived ? new Date() : null })
    await recordAudit(tx, {
      projectId,
      ...actorOf(scope),
      action: archived ? 'config.archived' : 'config.restored',
      target: config.id,
    })
    await notify(tx, { project: projectId, kind: 'config', id: config.id })
  })
}
