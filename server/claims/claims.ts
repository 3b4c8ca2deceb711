// A claim holds for the config in every environment, so who removes one must have the right to release wherever the config is live.
import { compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { describeQuestion, findQuestionFault, type QuestionFault } from '@signalbox/core/prove'
import { type Claim, computeDigest, parseConfigText } from '@signalbox/wire'
import { loadBases } from '@/server/configs/bases.sql.ts'
import { listPointers } from '@/server/configs/config-detail.sql.ts'
import { resolveConfigText } from '@/server/configs/config-text-input.ts'
import {
  type ConfigRow,
  findConfigById,
  lockConfig,
  type PromptName,
} from '@/server/configs/configs.sql.ts'
import { requireConfig } from '@/server/configs/configs.ts'
import { findOpenDraft } from '@/server/configs/drafts.sql.ts'
import { findNewestVersion } from '@/server/configs/versions.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { findPlaceRefusal } from '@/server/platform/auth/place-rights.ts'
import { type Actor, type ConfigReader, readActorId } from '@/server/platform/auth/scope.ts'
import { InvalidInput, ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import {
  type ClaimQuestion,
  type ClaimRow,
  deleteClaim,
  findClaim,
  insertClaims,
  listAuthoredClaims,
  listClaims,
} from './claims.sql.ts'

/** Of one config: each release judges all of them. */
export const MOST_CLAIMS = 50

export interface ClaimView {
  readonly id: string
  readonly question: ClaimQuestion
  readonly expect: Claim['expect']
  /** The question as a sentence; Markdown code spans mark names. */
  readonly sentence: string
  /** Null: they left. */
  readonly author: string | null
  readonly createdAt: number
}

/** Oldest first. Rejects with `not_found` when there is no such config. */
export async function loadClaims(
  scope: ConfigReader,
  prompt: PromptName,
): Promise<readonly ClaimView[]> {
  const { id: configId } = await requireConfig(scope, prompt)
  const rows = await listAuthoredClaims(scope.projectId, configId)
  return rows.map(({ id, question, expect, author, createdAt }) => ({
    id,
    question,
    expect,
    sentence: describeQuestion(question),
    author,
    createdAt,
  }))
}

/** Faults of the question in the open draft and in the newest version; null: one of the two can be asked it. */
async function findFault(
  projectId: AuthorizedProjectId,
  { id: configId, ns, key }: ConfigRow,
  question: ClaimQuestion,
): Promise<QuestionFault | null> {
  const [draft, version] = await Promise.all([
    findOpenDraft({ projectId, configId }),
    findNewestVersion({ configId }),
  ])
  const bases = await loadBases({ projectId }, draft === null ? [] : [draft.text])
  const read = [
    ...(draft === null ? [] : [resolveConfigText(draft.text, bases)]),
    ...(version === null ? [] : [parseConfigText(version.text)]),
  ]
  const faults: (QuestionFault | null)[] = []
  for (const one of read) {
    if (!one.ok) continue
    const options = { expressions: celExpressions(), customTypes: 'any' } as const
    const compiled = compileConfig(one.document, options)
    if (compiled.ok) faults.push(findQuestionFault(compiled.config, question))
  }
  const [first] = faults
  if (first === undefined) {
    const message = `${ns}/${key} has no valid draft and no version to ask about. Correct the draft first.`
    throw new ServiceError('conflict', message)
  }
  return faults.includes(null) ? null : first
}

export interface AddedClaim extends PromptName, Claim {}

/** The same claim again returns the first one. Rejects with `not_found`, `invalid`, `limit`, or `conflict` if the other answer is expected. */
export async function addClaim(
  actor: Actor,
  { ns, key, question, expect }: AddedClaim,
): Promise<{ readonly id: string }> {
  const { projectId } = actor
  const config = await requireConfig(actor, { ns, key })
  const configId = config.id
  const fault = await findFault(projectId, config, question)
  if (fault !== null) {
    const { code: reason, field, message } = fault
    throw new InvalidInput({ reason, field: `question.${field}`, message })
  }
  const digest = computeDigest(question)
  return await inTransaction(async (tx) => {
    // A release reads the claims under this lock.
    await lockConfig(tx, { projectId, ns, key })
    const claims = await listClaims({ projectId, configId }, tx)
    const same = claims.find(({ questionDigest }) => questionDigest === digest)
    if (same !== undefined) return requireSame(same, expect)
    if (claims.length >= MOST_CLAIMS) {
      throw new ServiceError(
        'limit',
        `A config has at most ${MOST_CLAIMS} claims. Remove one first.`,
      )
    }
    const claim = { projectId, configId, question, expect, createdBy: readActorId(actor) }
    const [id] = await insertClaims(tx, [claim])
    if (id === undefined) throw new Error('The claim was inserted under the lock of its config.')
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(actor),
      action: 'claim.added',
      target: id,
      after: { config: `${ns}/${key}`, question, expect },
    })
    await notify(tx, { project: projectId, kind: 'config', id: configId })
    return { id }
  })
}

function requireSame({ id, expect: kept }: ClaimRow, expect: Claim['expect']): { id: string } {
  if (kept === expect) return { id }
  const message = `The config already has a claim with this question and the answer "${kept}". Remove that claim first.`
  throw new ServiceError('conflict', message, 'expect')
}

/** Rejects with `forbidden` unless the actor may release to every environment in which the config is live. */
async function requireEverywhere(actor: Actor, configId: string): Promise<void> {
  for (const { environment } of await listPointers(actor, configId)) {
    const refusal =
      'keyId' in actor
        ? actor.environment === environment
          ? null
          : `This API key belongs to ${actor.environment}, and the config is live in ${environment}, too.`
        : await findPlaceRefusal(actor, 'release.publish', environment)
    if (refusal !== null) {
      throw new ServiceError('forbidden', `A claim protects every environment. ${refusal}`)
    }
  }
}

/** Rejects with `not_found` or `forbidden`. */
export async function removeClaim(actor: Actor, id: string): Promise<void> {
  const { projectId } = actor
  const found = await findClaim({ projectId, id }, reader())
  const config = found === null ? null : await findConfigById({ projectId, id: found.configId })
  const missing = new ServiceError('not_found', `There is no claim ${id}.`)
  if (found === null || config === null) throw missing
  const { ns, key } = config
  await requireEverywhere(actor, config.id)
  await inTransaction(async (tx) => {
    await lockConfig(tx, { projectId, ns, key })
    if (!(await deleteClaim(tx, { id, projectId }))) throw missing
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(actor),
      action: 'claim.removed',
      target: id,
      before: { config: `${ns}/${key}`, question: found.question, expect: found.expect },
    })
    await notify(tx, { project: projectId, kind: 'config', id: config.id })
  })
}
