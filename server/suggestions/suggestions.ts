// A person reads every suggested rule, and adds it to the draft or dismisses it. Nothing here changes what is enforced.
import type { ConfigDocument, ConfigSource } from '@signalbox/core'
import { addRules, hasRule } from '@signalbox/core/learn'
import {
  changeDraft,
  type DraftDocuments,
  findDraftDocument,
} from '@/server/configs/change-draft.ts'
import { findConfig, type PromptName } from '@/server/configs/configs.sql.ts'
import { createConfig } from '@/server/configs/configs.ts'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import { countSessionUse } from '@/server/labels/good-sessions.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import {
  type Actor,
  type KeyScope,
  type ProjectScope,
  readActorId,
} from '@/server/platform/auth/scope.ts'
import { systemScope } from '@/server/platform/auth/system.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { removeJob } from '@/server/platform/queue/jobs.sql.ts'
import {
  type DismissedRule,
  deleteDismissal,
  listDismissedRules,
  storeDismissal,
} from './dismissed-rules.sql.ts'
import {
  type DuePlace,
  endLearnRun,
  type FoundRule,
  findLearnRun,
  hasSessions,
  type LearnFindings,
  type LearnPlace,
  type LearnRun,
  listRecordedPrompts,
  type RecordedPrompt,
} from './learn-runs.sql.ts'
import { enqueueLearning, LEARN_DAYS, tellPrompt, toJobKey } from './run-learning.ts'

type Reader = Actor | KeyScope<'sessions:read'>

/** A rule that the draft has, or else the version that it would be based on, is `taken`. */
export interface SuggestedRule extends FoundRule {
  readonly state: 'open' | 'taken'
}

export interface Suggestions {
  /** Null: nothing was learned for the prompt in the environment yet. */
  readonly run: Omit<LearnRun, 'findings' | keyof DuePlace> | null
  /** Of the newest run that is done; null: none is. */
  readonly sample: Omit<LearnFindings, 'rules' | 'refused'> | null
  readonly rules: readonly SuggestedRule[]
  readonly refused: readonly SuggestedRule[]
  /** Newest first. */
  readonly dismissed: readonly DismissedRule[]
}

const NOTHING = { rules: [], refused: [] }

/** Rejects with `not_found` when the project has no such environment. */
export async function loadSuggestions(reader: Reader, place: LearnPlace): Promise<Suggestions> {
  await requireEnvironment(reader, place)
  const { projectId } = reader
  const [found, dismissed, draft] = await Promise.all([
    findLearnRun(projectId, place),
    listDismissedRules(projectId, place),
    findDraftDocument(systemScope(projectId), place),
  ])
  const hidden = new Set(dismissed.map(({ id }) => id))
  const toShown = (rules: readonly FoundRule[]) =>
    rules.flatMap((rule): SuggestedRule[] => {
      if (hidden.has(rule.id)) return []
      const isTaken = draft !== null && hasRule(draft, rule.placed)
      return [{ ...rule, state: isTaken ? 'taken' : 'open' }]
    })
  const { rules, refused, ...sample } = found?.findings ?? NOTHING
  return {
    run: found === null ? null : toStatus(found),
    sample: 'at' in sample ? sample : null,
    rules: toShown(rules),
    refused: toShown(refused),
    dismissed,
  }
}

function toStatus(run: LearnRun): Suggestions['run'] {
  const { id, status, error, sessionsFound, sessionsRead, createdAt, finishedAt } = run
  return { id, status, error, sessionsFound, sessionsRead, createdAt, finishedAt }
}

async function requireEnvironment(reader: Reader, { environment }: LearnPlace): Promise<void> {
  const isElsewhere = 'keyId' in reader && reader.environment !== environment
  const environments = isElsewhere ? [] : await listEnvironments(reader.projectId)
  if (environments.some(({ name }) => name === environment)) return
  throw new ServiceError('not_found', `There is no environment ${environment}.`, 'environment')
}

/** Environment with the most good sessions of the prompt, the first of the chain among equals; null: none has any. */
export async function findLearnEnvironment(
  { projectId }: ProjectScope,
  prompt: PromptName,
): Promise<string | null> {
  const environments = await listEnvironments(projectId)
  const counted = await Promise.all(
    environments.map(async ({ name }) => {
      const place = { ...prompt, environment: name, days: LEARN_DAYS }
      return { name, good: (await countSessionUse(projectId, place)).good ?? 0 }
    }),
  )
  const [most] = counted.toSorted((a, b) => b.good - a.good)
  return most === undefined || most.good === 0 ? null : most.name
}

/** At most 100 prompts that have sessions of the last 30 days and no config. */
export async function listPromptsToLearn({
  projectId,
}: ProjectScope): Promise<readonly RecordedPrompt[]> {
  return await listRecordedPrompts(projectId, LEARN_DAYS)
}

/** Rejects with `not_found` when the project has neither a config nor, in this environment, a session of the prompt. */
export async function requirePrompt({ projectId }: Reader, place: LearnPlace): Promise<void> {
  const config = await findConfig(systemScope(projectId), place)
  if (config !== null || (await hasSessions(projectId, place))) return
  throw new ServiceError(
    'not_found',
    `There is no config "${place.ns}/${place.key}", and ${place.environment} recorded no session of it.`,
  )
}

/** A run that is not over is returned. Rejects with `not_found` when the project has no such environment, or has neither a config nor a session of the prompt. */
export async function startLearning(
  scope: Actor,
  place: LearnPlace,
): Promise<{ readonly id: string }> {
  await requireEnvironment(scope, place)
  const { projectId } = scope
  const { ns, key, environment } = place
  await requirePrompt(scope, place)
  const id = await inTransaction(async (tx) => {
    const made = await enqueueLearning(tx, { projectId, ns, key, environment })
    if (made === null) return null
    const after = { config: `${ns}/${key}`, environment }
    const action = 'learning.started'
    await recordAudit(tx, { projectId, ...toAuditActor(scope), action, target: made, after })
    return made
  })
  return { id: id ?? (await requireRun(scope, place)).id }
}

async function requireRun({ projectId }: Actor, place: LearnPlace): Promise<LearnRun> {
  const found = await findLearnRun(projectId, place)
  if (found !== null) return found
  throw new ServiceError(
    'not_found',
    `No rules were searched for ${place.ns}/${place.key} in ${place.environment} yet. Start a search.`,
  )
}

/** False: the run was already over. */
export async function cancelLearning(
  scope: Actor,
  place: LearnPlace,
): Promise<{ readonly ok: boolean }> {
  await requireEnvironment(scope, place)
  const run = await requireRun(scope, place)
  return await inTransaction(async (tx) => {
    const ok = await endLearnRun(tx, run, { status: 'cancelled' })
    if (ok) {
      await removeJob(tx, toJobKey(run.id))
      await tellPrompt(tx, run)
    }
    return { ok }
  })
}

/** The rule, or why there is none. */
function findRule({ findings }: LearnRun, id: string): FoundRule | string {
  const found = [...(findings?.rules ?? []), ...(findings?.refused ?? [])]
  return found.find((one) => one.id === id) ?? `The newest search did not find the rule ${id}.`
}

export interface TakeWish extends LearnPlace {
  readonly ids: readonly string[]
  /** Checks have no mode. A rule that records facts about files stays in shadow mode. */
  readonly mode: 'shadow' | 'enforce'
}

/**
 * Adds the rules to the open draft, or to a new one; a prompt without a config gets one. Rejects with `not_found`, `invalid` (the newest run
 * did not find a rule) and `conflict` (a rule is dismissed, the draft has errors or the rules already, or another editor saved meanwhile).
 */
export async function takeSuggestions(
  scope: Actor,
  { ids, mode, ...place }: TakeWish,
): Promise<{ readonly ns: string; readonly key: string }> {
  await requireEnvironment(scope, place)
  const run = await requireRun(scope, place)
  const rules = [...new Set(ids)].map((id) => {
    const rule = findRule(run, id)
    if (typeof rule === 'string') throw new ServiceError('invalid', rule, 'ids')
    return rule
  })
  const { projectId } = scope
  const dismissed = await listDismissedRules(projectId, place)
  if (dismissed.some(({ id }) => ids.includes(id))) {
    throw new ServiceError('conflict', 'A dismissed rule cannot be added. Restore it first.')
  }
  const { ns, key, environment } = place
  const change = ({ own, flat }: DraftDocuments): ConfigSource => {
    const added = rules.filter(({ placed }) => !hasRule(flat, placed))
    if (added.length === 0) throw new ServiceError('conflict', PRESENT)
    const isOffer = ({ kind }: FoundRule): boolean => kind === 'file_facts'
    const offered = added.filter(isOffer).map(({ placed }) => placed)
    const others = added.filter((one) => !isOffer(one)).map(({ placed }) => placed)
    const recording = addRules(own, offered, { mode: 'shadow', within: flat })
    const within = addRules(flat, offered, { mode: 'shadow' })
    return addRules(recording, others, { mode, within })
  }
  if ((await findConfig(scope, { ns, key })) === null) {
    const empty: ConfigDocument = { schema_version: 1, ns, key }
    const text = `${JSON.stringify(change({ own: empty, flat: empty }), null, 2)}\n`
    await createConfig(scope, { ns, key, template: 'blank', text })
  } else await changeDraft(scope, { ns, key }, async (documents) => change(documents))
  await inTransaction(async (tx) => {
    // Without sentences, which quote arguments: the audit log is kept longer than events.
    const taken = rules.map(({ placed }) => placed.rule.id)
    const after = { config: `${ns}/${key}`, environment, mode, rules: taken }
    const action = 'suggestion.taken'
    await recordAudit(tx, { projectId, ...toAuditActor(scope), action, target: run.id, after })
    await tellPrompt(tx, run)
  })
  return { ns, key }
}

const PRESENT = 'The draft or the version it is based on already has this. Check it in the editor.'

export interface Dismissal extends LearnPlace {
  readonly id: string
  readonly reason: string
}

/** For good, and in all environments. Rejects with `not_found`, also when the newest run did not find the rule. */
export async function dismissSuggestion(
  scope: Actor,
  { id, reason, ...place }: Dismissal,
): Promise<{ readonly ok: true }> {
  await requireEnvironment(scope, place)
  const run = await requireRun(scope, place)
  const rule = findRule(run, id)
  if (typeof rule === 'string') throw new ServiceError('not_found', rule)
  const { sentence, placed } = rule
  const { projectId } = scope
  const { ns, key } = place
  await inTransaction(async (tx) => {
    await storeDismissal(tx, {
      ...{ projectId, ns, key, id, reason, sentence },
      dismissedBy: readActorId(scope),
      dismissedName: toAuditActor(scope).actor,
    })
    const after = { config: `${ns}/${key}`, rule: placed.rule.id, reason }
    const action = 'suggestion.dismissed'
    await recordAudit(tx, { projectId, ...toAuditActor(scope), action, target: id, after })
    await tellPrompt(tx, run)
  })
  return { ok: true }
}

/** Rejects with `not_found` when it is not dismissed. */
export async function restoreSuggestion(
  scope: Actor,
  { id, ...place }: LearnPlace & { readonly id: string },
): Promise<{ readonly ok: true }> {
  await requireEnvironment(scope, place)
  const { projectId } = scope
  const { ns, key } = place
  await inTransaction(async (tx) => {
    if (!(await deleteDismissal(tx, projectId, { ns, key, id }))) {
      throw new ServiceError('not_found', `The rule ${id} is not dismissed.`)
    }
    const after = { config: `${ns}/${key}` }
    const action = 'suggestion.restored'
    await recordAudit(tx, { projectId, ...toAuditActor(scope), action, target: id, after })
    await tellPrompt(tx, { projectId, ...place })
  })
  return { ok: true }
}
