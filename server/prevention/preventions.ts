import type { ConfigDocument } from '@signalbox/core'
import { hasRule } from '@signalbox/core/learn'
import { applyEdit, type Edit, mayApply } from '@signalbox/core/prevent'
import { computeDigest, parseConfigText, toDecisionId, toStopId } from '@signalbox/wire'
import { changeCase, pinCase } from '@/server/backtests/pinned-cases.ts'
import { changeDraft } from '@/server/configs/change-draft.ts'
import { requireConfig } from '@/server/configs/configs.ts'
import { findVersionText } from '@/server/ingest/config-texts.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { type Actor, type KeyScope, readActorId } from '@/server/platform/auth/scope.ts'
import { InvalidInput, ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, lockByName } from '@/server/platform/db/transaction.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { removeJob } from '@/server/platform/queue/jobs.sql.ts'
import { findSessionHead } from '@/server/sessions/session-head.sql.ts'
import {
  countOpen,
  endPrevention,
  findNewest,
  findPrevention,
  insertPrevention,
  type PreventedExample,
  type PreventionRow,
} from './preventions.sql.ts'
import { findFault, tellSession } from './run-prevention.ts'

const MOST_AT_ONCE = 2

export interface MarkedDecision {
  readonly sessionId: string
  /** Sequence number of the decision of a call or stop. */
  readonly seq: number
}

type Reader = Actor | KeyScope<'sessions:read'>

interface Subject {
  readonly ns: string
  readonly key: string
  readonly environment: string
  /** Null: an agent ran the session. */
  readonly example: PreventedExample | null
}

/** Of the session of an answer, which is stored with the searches for it. */
const EXAMPLE_ID = 'exa_'
const EXAMPLE_SEQ = 0

async function findSubject(reader: Reader, sessionId: string): Promise<Subject | null> {
  if (!sessionId.startsWith(EXAMPLE_ID)) {
    const session = await findSessionHead(reader.projectId, sessionId)
    return session === null ? null : { ...session, example: null }
  }
  const row = await findNewest(reader.projectId, { sessionId, seq: EXAMPLE_SEQ })
  return row?.example == null ? null : { ...row.example, example: row.example }
}

/** A session of another environment is not found for a key, which belongs to one. */
async function requireSession(reader: Reader, sessionId: string): Promise<Subject> {
  const subject = await findSubject(reader, sessionId)
  const isElsewhere = 'keyId' in reader && subject?.environment !== reader.environment
  if (subject !== null && !isElsewhere) return subject
  throw new ServiceError('not_found', `There is no session ${sessionId}.`)
}

/** The newest search for a decision; null: there is none. Rejects with `not_found` when the project has no such session. */
export async function loadPrevention(
  scope: Actor,
  marked: MarkedDecision,
): Promise<PreventionRow | null> {
  await requireSession(scope, marked.sessionId)
  return await findNewest(scope.projectId, marked)
}

/** Rejects with `not_found`, also for a search about a session that the key does not see. */
export async function requirePrevention(reader: Reader, id: string): Promise<PreventionRow> {
  const row = await findPrevention(id)
  if (row === null || row.projectId !== reader.projectId) {
    throw new ServiceError('not_found', `There is no search ${id}.`)
  }
  await requireSession(reader, row.sessionId)
  return row
}

const toJobKey = (id: string): string => `prevention ${id}`

/** A search for the same decision that is not over is returned. Rejects with `not_found`, `invalid` (the decision or the live version refused it, or it decides nothing) and `limit`. */
export async function startPrevention(
  scope: Actor,
  marked: MarkedDecision,
): Promise<{ readonly id: string }> {
  const { projectId } = scope
  const subject = await requireSession(scope, marked.sessionId)
  const { environment, example } = subject
  const open = await findNewest(projectId, marked)
  if (open !== null && open.finishedAt === null) return { id: open.id }
  const fault = example === null ? await findFault({ projectId, ...marked, environment }) : null
  if (fault !== null) {
    throw new InvalidInput({ reason: fault.code, field: 'seq', message: fault.message })
  }
  return await enqueueSearch(scope, marked, subject)
}

async function enqueueSearch(
  scope: Actor,
  marked: MarkedDecision,
  { ns, key, example }: Subject,
): Promise<{ readonly id: string }> {
  const { projectId } = scope
  return await inTransaction(async (tx) => {
    await lockByName(tx, `preventions ${projectId}`)
    const newest = await findNewest(projectId, marked)
    if (newest !== null && newest.finishedAt === null) return { id: newest.id }
    if ((await countOpen(tx, projectId)) >= MOST_AT_ONCE) {
      throw new ServiceError(
        'limit',
        'Two searches are running in this project. Wait until one ends, or cancel one.',
      )
    }
    const { sessionId, seq } = marked
    const row = { projectId, sessionId, seq, example, createdBy: readActorId(scope) }
    const id = await insertPrevention(tx, row)
    await enqueue(tx, {
      task: 'prevention.run',
      payload: { preventionId: id },
      key: toJobKey(id),
    })
    const after = { config: `${ns}/${key}`, session: sessionId, seq }
    const action = 'prevention.started'
    await recordAudit(tx, { projectId, ...toAuditActor(scope), action, target: id, after })
    await tellSession(tx, row)
    return { id }
  })
}

export interface ExampleWish extends Omit<PreventedExample, 'document'> {
  /** The config without a base. */
  readonly text: string
}

/**
 * Searches for a change that would have refused the last call or stop of the session that answers the question. `sessionId` stands for that
 * session, with sequence number 0. Rejects with `not_found`, `invalid` and `limit`.
 */
export async function startExample(
  scope: Actor,
  { text, ...place }: ExampleWish,
): Promise<{ readonly sessionId: string }> {
  await requireConfig(scope, place)
  const parsed = parseConfigText(text)
  if (!parsed.ok)
    throw new ServiceError('invalid', 'The config has errors. Fix them first.', 'text')
  const { document } = parsed
  const { question } = place
  if (question.ask === 'trapped' || question.ask === 'decisive') {
    throw new ServiceError('invalid', 'The answer shows no call or stop to refuse.', 'question')
  }
  const example = { ...place, document }
  const digest = computeDigest({
    document: { ...document },
    question: { ...question },
    at: place.environment,
  })
  const sessionId = `${EXAMPLE_ID}${digest.slice(-24)}`
  await enqueueSearch(scope, { sessionId, seq: EXAMPLE_SEQ }, { ...place, example })
  return { sessionId }
}

/** False: the search was already over. */
export async function cancelPrevention(
  scope: Actor,
  id: string,
): Promise<{ readonly ok: boolean }> {
  const row = await requirePrevention(scope, id)
  return await inTransaction(async (tx) => {
    const ok = await endPrevention(tx, row, { status: 'cancelled' })
    if (ok) {
      await removeJob(tx, toJobKey(id))
      await tellSession(tx, row)
    }
    return { ok }
  })
}

export interface Taken {
  readonly ns: string
  readonly key: string
  /** Id of the pinned case that holds later versions to it; null: no agent ran the session. */
  readonly pinned: string | null
}

const CHANGED =
  'The rule was changed since the session ran, and the change would undo that. Edit it yourself, or search again on a newer session.'
const PRESENT =
  'The draft or the version it is based on already has this change. Check it in the editor.'
const INHERITED = 'The rule is that of the base. Change it there.'

const isSame = (one: object, other: object): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

export interface TakeWish {
  readonly id: string
  /** From 1. */
  readonly candidate: number
  readonly mode: 'enforce' | 'shadow'
}

/**
 * Makes the change to the open draft, or to a new one, and pins the decision as a case that must be refused. Rejects with `not_found`,
 * `invalid` (there is no such candidate) and `conflict` (the draft has errors, the rule is in the base, or another editor saved meanwhile).
 */
export async function takeCandidate(scope: Actor, wish: TakeWish): Promise<Taken> {
  const row = await requirePrevention(scope, wish.id)
  const candidate = row.findings?.candidates[wish.candidate - 1]
  if (candidate === undefined) {
    throw new ServiceError('invalid', `The search has no candidate ${wish.candidate}.`, 'candidate')
  }
  const { ns, key } = await requireSession(scope, row.sessionId)
  const { edit, madeOn } = candidate
  const ran = await findRan(row, madeOn)
  const isShadow = wish.mode === 'shadow' && edit.kind === 'add_policy'
  const wanted = isShadow ? { ...edit, policy: { ...edit.policy, mode: 'shadow' as const } } : edit
  let pinned: string | null = null
  await changeDraft(scope, { ns, key }, async ({ own, flat }) => {
    if (ran === null || !mayApply(edit, ran, flat)) throw new ServiceError('conflict', CHANGED)
    if (isAdded(flat, edit) || isSame(applyEdit(flat, wanted), flat)) {
      throw new ServiceError('conflict', PRESENT)
    }
    const changed = applyEdit(own, wanted)
    if (isSame(changed, own)) throw new ServiceError('conflict', INHERITED)
    // Before the draft is saved, because it can fail, and a second attempt finds the same case.
    if (row.example === null) pinned = await pin(scope, row, candidate.outcome)
    return changed
  })
  const { projectId } = scope
  const after = { config: `${ns}/${key}`, candidate: wish.candidate, mode: wish.mode, pinned }
  await inTransaction((tx) =>
    recordAudit(tx, {
      ...{ projectId, ...toAuditActor(scope), action: 'prevention.taken', target: wish.id, after },
    }),
  )
  return { ns, key, pinned }
}

/** The version that the candidate changes; null: it is not known. */
async function findRan(
  { projectId, example }: PreventionRow,
  madeOn: string | null,
): Promise<ConfigDocument | null> {
  if (example !== null) return example.document
  const text = madeOn === null ? null : await findVersionText(projectId, madeOn)
  const parsed = text === null ? null : parseConfigText(text)
  return parsed?.ok ? parsed.document : null
}

/** An added rule is there already, or a stricter one. */
function isAdded(document: ConfigDocument, edit: Edit): boolean {
  return (
    edit.kind === 'add_policy' && hasRule(document, { pointer: '/policies/-', rule: edit.policy })
  )
}

async function pin(
  scope: Actor,
  { sessionId, seq }: PreventionRow,
  outcome: 'denied' | 'waits' | 'blocked',
): Promise<string> {
  const isStop = outcome === 'blocked'
  const expected = isStop ? 'blocked' : 'denied'
  const toId = isStop ? toStopId : toDecisionId
  const made = await pinCase(scope, { id: toId(sessionId, seq), expected })
  // It was pinned before, as it was recorded.
  if (made.expected !== expected) await changeCase(scope, { id: made.id, expected })
  return made.id
}
