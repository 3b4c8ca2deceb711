import { withoutSchemaAddress } from '@signalbox/wire'
import {
  listRecentDenials,
  listRefusedStops,
  type RecentDenial,
} from '@/server/explanations/recent-refusals.sql.ts'
import type { StopFacts } from '@/server/explanations/stop-list.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { type Actor, type ConfigReader, readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import type { ListPage } from '@/server/platform/list/define-list.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import type { PageRequest } from '@/server/platform/sql/sql-list.ts'
import { listCustomTypes } from '@/server/runtimes/runtimes.sql.ts'
import { loadBases } from './bases.sql.ts'
import {
  countLiveSessions,
  listPointers,
  listReleases,
  listVersions,
  type PointerRow,
  type ReleaseListRow,
  type VersionListRow,
} from './config-detail.sql.ts'
import { type TemplateName, templateText } from './config-templates.ts'
import {
  changedState,
  countRules,
  type DraftState,
  type RuleCounts,
  type TextPlace,
} from './config-text.ts'
import type { CONFIGS } from './configs.list.ts'
import {
  type ConfigRow,
  countPointers,
  findConfig,
  insertConfig,
  lockConfig,
  type PromptName,
  setArchivedAt,
} from './configs.sql.ts'
import { insertDraft } from './drafts.sql.ts'
import { configList, findListedConfig, type ListedConfigRow } from './listed-configs.sql.ts'
import type { Standing } from './release-standing.sql.ts'
import { requireUnextended } from './require-unextended.ts'
import type { StartMode } from './templates/template.ts'
import { findVersion } from './versions.sql.ts'

type RowFields =
  | 'id'
  | 'ns'
  | 'key'
  | 'archivedAt'
  | 'newestVersion'
  | 'pointers'
  | 'staged'
  | 'waiting'
  | 'plans'
  | 'day'
  | 'lastRelease'

export interface ListedConfig extends Pick<ListedConfigRow, RowFields> {
  /** Rules of the live version in the chain's last environment that has one, or of the newest version; null before the first version. */
  readonly rules: RuleCounts | null
  readonly draft: {
    readonly state: DraftState
    readonly author: string | null
    readonly updatedAt: number
  } | null
  readonly runtimes: { readonly inSync: number; readonly total: number }
}

export interface ConfigList extends ListPage<ListedConfig> {
  /** Number on all pages; only on the first page. */
  readonly total: number | null
}

/** Rejects with `invalid` for a cursor that no page gave. */
export async function listConfigs(
  scope: ConfigReader,
  request: PageRequest<typeof CONFIGS>,
): Promise<ConfigList> {
  const { filter, cursor = null } = request
  const [{ rows, nextCursor }, total, customTypes] = await Promise.all([
    configList.page(scope, request),
    cursor === null ? configList.count(scope, filter) : null,
    listCustomTypes(scope),
  ])
  const bases = await loadBases(scope, listDraftTexts(rows))
  const place = { customTypes, bases }
  return { rows: rows.map((row) => toListedConfig(row, place)), nextCursor, total }
}

function listDraftTexts(rows: readonly ListedConfigRow[]): readonly string[] {
  return rows.flatMap(({ draftText }) => (draftText === null ? [] : [draftText]))
}

type DraftPlace = Pick<TextPlace, 'customTypes' | 'bases'>

function toListedConfig(row: ListedConfigRow, place: DraftPlace): ListedConfig {
  const { id, ns, key, archivedAt, newestVersion, lastRelease, pointers, day } = row
  const { staged, waiting, plans } = row
  return {
    id,
    ns,
    key,
    archivedAt,
    newestVersion,
    lastRelease,
    pointers,
    staged,
    waiting,
    plans,
    day,
    rules: row.text === null ? null : countRules(row.text),
    draft: toListedDraft(row, place),
    runtimes: { inSync: row.inSync, total: row.hosts },
  }
}

function toListedDraft(row: ListedConfigRow, place: DraftPlace): ListedConfig['draft'] {
  const { draftText: text, draftUpdatedAt: updatedAt, draftAuthor: author, ns, key } = row
  if (updatedAt === null) return null
  // The database returns the text only if it differs from its base.
  const state = text === null ? 'clean' : changedState(text, { ns, key, ...place })
  return { state, author, updatedAt }
}

export async function requireConfig(scope: ConfigReader, prompt: PromptName): Promise<ConfigRow> {
  const config = await findConfig(scope, prompt)
  if (config === null) throw notThere(prompt)
  return config
}

function notThere({ ns, key }: PromptName): ServiceError {
  return new ServiceError('not_found', `There is no config "${ns}/${key}".`)
}

export type StandingRelease = ReleaseListRow & Standing

export interface ConfigDetail extends Omit<ListedConfig, 'pointers'> {
  readonly pointers: readonly PointerRow[]
  readonly versions: readonly VersionListRow[]
  readonly releases: readonly StandingRelease[]
  readonly liveSessions: readonly { readonly environment: string; readonly count: number }[]
}

/** Rejects with `not_found`. */
export async function loadConfigDetail(
  scope: ConfigReader,
  prompt: PromptName,
): Promise<ConfigDetail> {
  const { id } = await requireConfig(scope, prompt)
  const { ns, key } = prompt
  const [row, customTypes, pointers, versions, releases, liveSessions] = await Promise.all([
    findListedConfig(scope, { ns, key }),
    listCustomTypes(scope),
    listPointers(scope, id),
    listVersions(scope, id),
    listReleases(scope, id),
    countLiveSessions(scope, { ns, key }),
  ])
  if (row === null) throw notThere(prompt)
  return {
    ...toListedConfig(row, { customTypes, bases: await loadBases(scope, listDraftTexts([row])) }),
    pointers,
    versions,
    liveSessions,
    releases,
  }
}

export interface RecentRefusals {
  readonly denials: readonly RecentDenial[]
  readonly stops: readonly StopFacts[]
}

/** The newest calls and stops that the config refused. With `rule`: only calls that this rule denied. */
export async function loadRecentRefusals(
  scope: ConfigReader,
  asked: PromptName & { readonly environment: string | null; readonly rule: string | null },
): Promise<RecentRefusals> {
  await requireConfig(scope, asked)
  const [denials, stops] = await Promise.all([
    listRecentDenials(scope.projectId, asked),
    asked.rule === null ? listRefusedStops(scope.projectId, asked) : [],
  ])
  return { denials, stops }
}

export interface VersionText {
  readonly number: number
  readonly digest: string
  readonly text: string
  /** Text as written, which may have `extends`; `text` is the flat document. */
  readonly source: string
  readonly note: string | null
  readonly createdAt: number
}

/** Rejects with `not_found`. */
export async function loadVersionText(
  scope: ConfigReader,
  prompt: PromptName,
  number: number,
): Promise<VersionText> {
  const config = await requireConfig(scope, prompt)
  const version = await findVersion({ configId: config.id, number })
  if (version === null) {
    throw new ServiceError('not_found', `${prompt.ns}/${prompt.key} has no version ${number}.`)
  }
  const { digest, text, source, note, createdAt } = version
  return { number, digest, text, source, note, createdAt }
}

export interface NewConfig extends PromptName {
  readonly template: TemplateName
  /** Mode of a template's rules. Absent: shadow. */
  readonly mode?: StartMode
  readonly text?: string | undefined
}

/** Creates the config with a first draft. Rejects with `conflict` when the name is taken. */
export async function createConfig(
  scope: Actor,
  input: NewConfig,
): Promise<{ readonly id: string }> {
  const { projectId } = scope
  const authorId = readActorId(scope)
  const { ns, key } = input
  const id = await inTransaction(async (tx) => {
    const configId = await insertConfig(tx, { projectId, ns, key })
    if (configId === null) {
      throw new ServiceError('conflict', `"${ns}/${key}" already has a config.`, 'key')
    }
    const text = withoutSchemaAddress(
      input.text ?? templateText(input, input.template, input.mode ?? 'shadow'),
    )
    await insertDraft(tx, { projectId, configId, text, baseVersion: null, authorId })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'config.created',
      target: configId,
      after: { config: `${ns}/${key}` },
    })
    await notify(tx, { project: projectId, kind: 'config', id: configId })
    return configId
  })
  return { id }
}

/** Rejects with `conflict` while the config is live in an environment, because archiving must not change what is enforced. */
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
    if (archived) await requireUnextended(tx, scope, config)
    await setArchivedAt(tx, { projectId, id: config.id, at: archived ? new Date() : null })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: archived ? 'config.archived' : 'config.restored',
      target: config.id,
    })
    await notify(tx, { project: projectId, kind: 'config', id: config.id })
  })
}
