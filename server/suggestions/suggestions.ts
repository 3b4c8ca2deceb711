// A person reads every suggested rule, and adds it to the draft or dismisses it. Nothing here changes what is enforced.
import type { ConfigDocument } from '@signalbox/core'
import { addRules, hasRule } from '@signalbox/core/learn'
import { parseConfigText } from '@signalbox/wire'
import { findConfig } from '@/server/configs/configs.sql.ts'
import { createConfig } from '@/server/configs/configs.ts'
import { openWorkbench, saveDraft } from '@/server/configs/drafts.ts'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import {
  type Actor,
  type KeyScope,
  type ProjectScope,
  readActorId,
} from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { removeJob } from '@/server/platform/queue/jobs.sql.ts'
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
import {
  deleteDismissal,
  listDecisions,
  type SuggestionDecision,
  storeDecision,
} from './suggestion-decisions.sql.ts'

type Reader = Actor | KeyScope<'sessions:read'>

export type DismissedRule = Omit<SuggestionDecision, 'state'>

/** A rule without a decision of a member is `open`. */
export interface SuggestedRule extends FoundRule {
  readonly state: 'open' | 'taken'
}

export interface Suggestions {
  /** Null: nothing was learned for the prompt in the environment yet. */
  readonly run: Omit<LearnRun, 'findings' | keyof DuePlace> | null
  /** Of the newest run that is done; null: none is. */
  readonly sample: Omit<LearnFindings, 'rules' | 'refused'> | null
  readonly rules: readonly SuggestedRule[]
  readonly refused: readonly FoundRule[]
  /** Newest first. */
  readonly dismissed: readonly DismissedRule[]
}

const NOTHING = { rules: [], refused: [] }

/** Rejects with `not_found` when the project has no such environment. */
export async function loadSuggestions(reader: Reader, place: LearnPlace): Promise<Suggestions> {
  await requireEnvironment(reader, place)
  const { projectId } = reader
  const [found, decisions] = await Promise.all([
    findLearnRun(projectId, place),
    listDecisions(projectId, place),
  ])
  const states = new Map(decisions.map(({ id, state }) => [id, state]))
  const { rules, refused, ...sample } = found?.findings ?? NOTHING
  const isShown = ({ id }: FoundRule): boolean => states.get(id) !== 'dismissed'
  return {
    run: found === null ? null : toStatus(found),
    sample: 'at' in sample ? sample : null,
    rules: rules.filter(isShown).map((rule) => ({
      ...rule,
      state: states.has(rule.id) ? 'taken' : 'open',
    })),
    refused: refused.filter(isShown),
    dismissed: decisions.flatMap(({ state, ...rest }) => (state === 'dismissed' ? [rest] : [])),
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

/** At most 100 prompts that have sessions of the last 30 days and no config. */
export async function listPromptsToLearn({
  projectId,
}: ProjectScope): Promise<readonly RecordedPrompt[]> {
  return await listRecordedPrompts(projectId, LEARN_DAYS)
}

/** A run that is not over is returned. Rejects with `not_found` when the project has no such environment, or has neither a config nor a session of the prompt. */
export async function startLearning(
  scope: Actor,
  place: LearnPlace,
): Promise<{ readonly id: string }> {
  await requireEnvironment(scope, place)
  const { projectId } = scope
  const { ns, key, environment } = place
  if ((await findConfig(scope, { ns, key })) === null && !(await hasSessions(projectId, place))) {
    throw new ServiceError(
      'not_found',
      `There is no config "${ns}/${key}", and ${environment} recorded no session of it.`,
    )
  }
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

function findRules({ findings }: LearnRun, ids: readonly string[]): readonly FoundRule[] {
  const found = [...(findings?.rules ?? []), ...(findings?.refused ?? [])]
  return ids.map((id) => {
    const rule = found.find((one) => one.id === id)
    if (rule !== undefined) return rule
    throw new ServiceError('invalid', `The newest search did not find the rule ${id}.`, 'ids')
  })
}

export interface TakeWish extends LearnPlace {
  readonly ids: readonly string[]
  /** Checks have no mode. */
  readonly mode: 'shadow' | 'enforce'
}

/**
 * Adds the rules to the open draft, or to a new one; a prompt without a config gets one. Rejects with `not_found`, `invalid` (the newest run
 * did not find a rule) and `conflict` (the draft has errors or the rules already, or another editor saved meanwhile).
 */
export async function takeSuggestions(
  scope: Actor,
  { ids, mode, ...place }: TakeWish,
): Promise<{ readonly ns: string; readonly key: string }> {
  await requireEnvironment(scope, place)
  const run = await requireRun(scope, place)
  const rules = findRules(run, ids)
  await addToDraft(scope, place, (document) => {
    const added = rules.map(({ placed }) => placed).filter((one) => !hasRule(document, one))
    if (added.length > 0) return addRules(document, added, mode)
    throw new ServiceError(
      'conflict',
      'The draft or the version it is based on already has this. Check it in the editor.',
    )
  })
  const { projectId } = scope
  const { ns, key, environment } = place
  await inTransaction(async (tx) => {
    for (const { id, sentence } of rules) {
      const decision = { ...toDecider(scope, place), id, sentence }
      await storeDecision(tx, { ...decision, state: 'taken', reason: '' })
    }
    const sentences = rules.map(({ sentence }) => sentence)
    const after = { config: `${ns}/${key}`, environment, mode, rules: sentences }
    const action = 'suggestion.taken'
    await recordAudit(tx, { projectId, ...toAuditActor(scope), action, target: run.id, after })
    await tellPrompt(tx, run)
  })
  return { ns, key }
}

function toDecider(scope: Actor, { ns, key }: LearnPlace) {
  const who = { decidedBy: readActorId(scope), decidedName: toAuditActor(scope).actor }
  return { projectId: scope.projectId, ns, key, ...who }
}

async function addToDraft(
  scope: Actor,
  { ns, key }: LearnPlace,
  change: (document: ConfigDocument) => ConfigDocument,
): Promise<void> {
  const write = (document: ConfigDocument) => `${JSON.stringify(change(document), null, 2)}\n`
  if ((await findConfig(scope, { ns, key })) === null) {
    const text = write({ schema_version: 1, ns, key })
    await createConfig(scope, { ns, key, template: 'blank', text })
    return
  }
  const { draft, base } = await openWorkbench(scope, { ns, key })
  const text = draft?.text ?? base?.text ?? JSON.stringify({ schema_version: 1, ns, key })
  const parsed = parseConfigText(text)
  if (!parsed.ok) {
    throw new ServiceError(
      'conflict',
      'The draft has errors. Fix them in the editor, then try again.',
    )
  }
  const saved = await saveDraft(scope, {
    ...{ ns, key, text: write(parsed.document), baseVersion: base?.number ?? null },
    seen: draft === null ? null : { id: draft.id, revision: draft.revision },
  })
  if (!saved.ok) {
    throw new ServiceError('conflict', 'Another editor saved the draft meanwhile. Try again.')
  }
}

export interface Dismissal extends LearnPlace {
  readonly id: string
  readonly reason: string
}

/** For good, and in all environments. Rejects with `not_found` and `invalid` (the newest run did not find it). */
export async function dismissSuggestion(
  scope: Actor,
  { id, reason, ...place }: Dismissal,
): Promise<{ readonly ok: true }> {
  await requireEnvironment(scope, place)
  const run = await requireRun(scope, place)
  const [rule] = findRules(run, [id])
  const sentence = rule?.sentence ?? ''
  const { projectId } = scope
  await inTransaction(async (tx) => {
    const decision = { ...toDecider(scope, place), id, sentence }
    await storeDecision(tx, { ...decision, state: 'dismissed', reason })
    const after = { config: `${place.ns}/${place.key}`, rule: sentence, reason }
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
