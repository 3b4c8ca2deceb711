// A save with an old revision changes nothing and returns the stored draft, so no text is overwritten unseen.
import { MAX_TEXT_CHARACTERS, withoutSchemaAddress } from '@signalbox/wire'
import { type EnvironmentRow, listEnvironments } from '@/server/environments/environments.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { type Actor, type ConfigReader, readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import {
  type CustomRule,
  listCustomRules,
  listCustomTypes,
} from '@/server/runtimes/runtimes.sql.ts'
import { listPointers, type PointerRow } from './config-detail.sql.ts'
import { lockConfig, type PromptName } from './configs.sql.ts'
import { requireConfig } from './configs.ts'
import { keepReplacedText } from './draft-history.ts'
import {
  closeDraft,
  type DraftRow,
  deleteClosedDrafts,
  findDraftText,
  findOpenDraft,
  insertDraft,
  listClosedDrafts,
  reopenDraft,
  saveDraftText,
  setDraftBase,
  type TrashedDraft,
} from './drafts.sql.ts'
import { findLiveVersion, findNewestVersion, findVersion, type VersionRow } from './versions.sql.ts'

/** Longer texts stay in the browser: a config that large cannot be published (1 MiB), and rows are not file storage. */
export const MAX_DRAFT_CHARACTERS = MAX_TEXT_CHARACTERS

export type DraftView = Omit<DraftRow, 'configId'>

export interface LiveVersion extends Pick<VersionRow, 'number' | 'digest' | 'text' | 'source'> {
  /** Time of its release there, epoch ms, and its publisher; null: the live version changed during the read. */
  readonly release: { readonly at: number; readonly by: string | null } | null
}

export interface PublishTarget extends Omit<EnvironmentRow, 'projectId'> {
  /** Live version of this config; null: none. */
  readonly live: LiveVersion | null
}

export interface Workbench {
  readonly configId: string
  readonly ns: string
  readonly key: string
  readonly archivedAt: number | null
  readonly draft: DraftView | null
  /** The version that the draft is based on, as written, for merging newer live versions; null: none. */
  readonly draftBase: Pick<VersionRow, 'number' | 'text'> | null
  /** Version from which the editor starts without a draft, as written; null: no version yet. */
  readonly base: Pick<VersionRow, 'number' | 'text'> | null
  readonly targets: readonly PublishTarget[]
  readonly customTypes: readonly string[]
  readonly customRules: readonly CustomRule[]
}

function toDraftView({ configId: _configId, ...view }: DraftRow): DraftView {
  return view
}

/** The base is the live version in the first environment, because publishing goes there by default; without one, the newest version. */
export async function openWorkbench(scope: ConfigReader, prompt: PromptName): Promise<Workbench> {
  const { id: configId, ns, key, archivedAt } = await requireConfig(scope, prompt)
  const { projectId } = scope
  const [draft, environments, pointers, customTypes, customRules] = await Promise.all([
    findOpenDraft({ projectId, configId }),
    listEnvironments(projectId),
    listPointers(scope, configId),
    listCustomTypes(scope),
    listCustomRules(scope),
  ])
  const targets = await Promise.all(
    environments.map(async ({ projectId: _projectId, ...environment }) => {
      const live = await findLiveVersion({ projectId, environmentId: environment.id, configId })
      return { ...environment, live }
    }),
  )
  const draftBase =
    draft === null || draft.baseVersion === null
      ? null
      : await findVersion({ configId, number: draft.baseVersion })
  const base = targets[0]?.live ?? (await findNewestVersion({ configId }))
  return {
    configId,
    ns,
    key,
    archivedAt,
    customTypes,
    customRules,
    draft: draft === null ? null : toDraftView(draft),
    draftBase: draftBase === null ? null : { number: draftBase.number, text: draftBase.source },
    base: base === null ? null : { number: base.number, text: base.source },
    targets: targets.map((target) => ({
      ...target,
      live: toLiveVersion(
        target.live,
        pointers.find(({ environment }) => environment === target.name),
      ),
    })),
  }
}

function toLiveVersion(
  version: VersionRow | null,
  pointer: PointerRow | undefined,
): PublishTarget['live'] {
  if (version === null) return null
  const { number, digest, text, source } = version
  const isServedVersion = pointer?.version === number
  return {
    number,
    digest,
    text,
    source,
    release: isServedVersion ? { at: pointer.releasedAt, by: pointer.author } : null,
  }
}

export type SaveResult =
  | { readonly ok: true; readonly id: string; readonly revision: number; readonly savedAt: number }
  /** `current`: the draft as stored now; null when it was discarded meanwhile. */
  | { readonly ok: false; readonly reason: 'stale'; readonly current: DraftView | null }

export interface DraftSave extends PromptName {
  readonly text: string
  /** Null: the writer saw no draft, so this save creates one. */
  readonly seen: { readonly id: string; readonly revision: number } | null
  /** Only for a new draft: number of the version that the text is based on. */
  readonly baseVersion: number | null
}

/** Rejects with `invalid` for a text that cannot be stored, which the caller keeps. */
export async function saveDraft(scope: Actor, written: DraftSave): Promise<SaveResult> {
  const save = { ...written, text: withoutSchemaAddress(written.text) }
  if (save.text.includes('\0')) {
    throw new ServiceError(
      'invalid',
      'The text holds a NUL character, which cannot be stored. Remove it; until then the text stays in this browser.',
    )
  }
  return save.seen === null ? await createDraft(scope, save) : await replaceText(scope, save)
}

async function createDraft(scope: Actor, save: DraftSave): Promise<SaveResult> {
  const { projectId } = scope
  return await inTransaction(async (tx) => {
    const config = await requireLocked(tx, scope, save)
    const existing = await findOpenDraft({ projectId, configId: config.id }, tx)
    if (existing !== null) return { ok: false, reason: 'stale', current: toDraftView(existing) }
    const baseVersion = await knownVersion(tx, { configId: config.id, number: save.baseVersion })
    const authorId = readActorId(scope)
    const draft = { projectId, configId: config.id, text: save.text, baseVersion, authorId }
    const id = await insertDraft(tx, draft)
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'draft.created',
      target: id,
      after: { config: `${save.ns}/${save.key}`, base_version: baseVersion },
    })
    await notify(tx, { project: projectId, kind: 'config', id: config.id })
    return { ok: true, id, revision: 1, savedAt: Date.now() }
  })
}

async function knownVersion(
  tx: Tx,
  where: { readonly configId: string; readonly number: number | null },
): Promise<number | null> {
  const { configId, number } = where
  if (number === null) return null
  return (await findVersion({ configId, number }, tx))?.number ?? null
}

async function replaceText(scope: Actor, save: DraftSave): Promise<SaveResult> {
  const { projectId } = scope
  const config = await requireConfig(scope, save)
  const { id, revision } = save.seen ?? { id: '', revision: 0 }
  return await inTransaction(async (tx) => {
    const before = await findDraftText(tx, { projectId, id, revision })
    if (before !== null && (await saveDraftText(tx, { scope, id, revision, text: save.text }))) {
      const after = { text: save.text, savedBy: readActorId(scope) }
      const draft = { projectId, configId: config.id, draftId: id, revision }
      await keepReplacedText(tx, { ...draft, before, after })
      await notify(tx, { project: projectId, kind: 'config', id: config.id })
      return { ok: true, id, revision: revision + 1, savedAt: Date.now() }
    }
    const current = await findOpenDraft({ projectId, configId: config.id }, tx)
    return { ok: false, reason: 'stale', current: current === null ? null : toDraftView(current) }
  })
}

async function requireLocked(tx: Tx, scope: Actor, prompt: PromptName) {
  const { ns, key } = prompt
  const config = await lockConfig(tx, { projectId: scope.projectId, ns, key })
  if (config === null) throw new ServiceError('not_found', `There is no config "${ns}/${key}".`)
  return config
}

export interface SeenDraft extends PromptName {
  readonly id: string
  readonly revision: number
}

/** Changes the draft's base to a newer version after its author has reviewed the difference. False: the draft changed meanwhile. */
export async function rebaseDraft(
  scope: Actor,
  input: SeenDraft & { readonly baseVersion: number },
): Promise<{ readonly ok: boolean }> {
  const { projectId } = scope
  return await inTransaction(async (tx) => {
    const config = await requireLocked(tx, scope, input)
    const draft = await findOpenDraft({ projectId, configId: config.id }, tx)
    const { id, revision, baseVersion } = input
    if (draft?.id !== id) return { ok: false }
    if ((await findVersion({ configId: config.id, number: baseVersion }, tx)) === null) {
      throw new ServiceError('not_found', `There is no version ${baseVersion}.`)
    }
    const ok = await setDraftBase(tx, { projectId, id, revision, baseVersion })
    if (ok) await notify(tx, { project: projectId, kind: 'config', id: config.id })
    return { ok }
  })
}

const TRASH_MS = 30 * 86_400_000

/** Closes the draft; its text can be restored for 30 days. False: it was saved meanwhile, so nothing happened. */
export async function discardDraft(
  scope: Actor,
  input: SeenDraft,
): Promise<{ readonly ok: boolean }> {
  const { projectId } = scope
  const { id, revision } = input
  return await inTransaction(async (tx) => {
    const config = await requireLocked(tx, scope, input)
    const ok = await closeDraft(tx, { projectId, id, revision })
    if (!ok) return { ok }
    const before = Date.now() - TRASH_MS
    await deleteClosedDrafts(tx, { projectId, configId: config.id, before })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'draft.discarded',
      target: id,
    })
    await notify(tx, { project: projectId, kind: 'config', id: config.id })
    return { ok }
  })
}

/** Drafts of the config that were discarded in the last 30 days, newest first, at most 50. */
export async function loadTrashedDrafts(
  scope: ConfigReader,
  prompt: PromptName,
): Promise<readonly TrashedDraft[]> {
  const { id: configId } = await requireConfig(scope, prompt)
  return await listClosedDrafts({ projectId: scope.projectId, configId }, Date.now() - TRASH_MS)
}

/** Undoes a discard. False: another draft is open, or this one already is. */
export async function restoreDraft(
  scope: Actor,
  input: PromptName & { readonly id: string },
): Promise<{ readonly ok: boolean }> {
  const { projectId } = scope
  return await inTransaction(async (tx) => {
    const { id: configId } = await requireLocked(tx, scope, input)
    if ((await findOpenDraft({ projectId, configId }, tx)) !== null) return { ok: false }
    const ok = await reopenDraft(tx, { projectId, configId, id: input.id })
    if (!ok) return { ok }
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'draft.restored',
      target: input.id,
    })
    await notify(tx, { project: projectId, kind: 'config', id: configId })
    return { ok }
  })
}
