import type { ConfigDocument, JsonObject } from '@signalbox/core'
import { applyEdit, describeFault, type Edit, mayApply } from '@signalbox/core/prevent'
import { computeDigest, parseConfigText, toDecisionId, toStopId } from '@signalbox/wire'
import { changeCase, pinCase } from '@/server/backtests/pinned-cases.ts'
import { openWorkbench, saveDraft } from '@/server/configs/drafts.ts'
import { findVersionText } from '@/server/ingest/config-texts.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { type Actor, type KeyScope, readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
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

/** A session of another environment is not found for a key, which belongs to one. */
async function requireSession(reader: Reader, sessionId: string) {
  const session = await findSessionHead(reader.projectId, sessionId)
  const isElsewhere = 'keyId' in reader && session?.environment !== reader.environment
  if (session !== null && !isElsewhere) return session
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

/** A search for the same decision that is not over is returned. Rejects with `not_found`, `invalid` (the decision refused it, or decides nothing) and `limit`. */
export async function startPrevention(
  scope: Actor,
  marked: MarkedDecision,
): Promise<{ readonly id: string }> {
  const { projectId } = scope
  const { ns, key } = await requireSession(scope, marked.sessionId)
  const open = await findNewest(projectId, marked)
  if (open !== null && open.finishedAt === null) return { id: open.id }
  const fault = await findFault({ projectId, ...marked })
  if (fault !== null) throw new ServiceError('invalid', describeFault(fault), 'seq')
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
    const row = { projectId, sessionId, seq, createdBy: readActorId(scope) }
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
  /** Id of the pinned case that holds later versions to it. */
  readonly pinned: string
}

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
  const { draft, base } = await openWorkbench(scope, { ns, key })
  const text = draft?.text ?? base?.text ?? JSON.stringify({ schema_version: 1, ns, key })
  const parsed = parseConfigText(text)
  if (!parsed.ok) {
    throw new ServiceError(
      'conflict',
      'The draft has errors. Fix them in the editor, then try again.',
    )
  }
  const { edit, madeOn } = candidate
  const version = madeOn === null ? null : await findVersionText(scope.projectId, madeOn)
  const ran = version === null ? null : parseConfigText(version)
  if (!ran?.ok || !mayApply(edit, ran.document, parsed.document)) {
    throw new ServiceError(
      'conflict',
      'The rule was changed since the session ran, and the change would undo that. Edit it yourself, or search again on a newer session.',
    )
  }
  const isShadow = wish.mode === 'shadow' && edit.kind === 'add_policy'
  const wanted = isShadow ? { ...edit, policy: { ...edit.policy, mode: 'shadow' as const } } : edit
  const document = applyEdit(parsed.document, wanted)
  const changed = JSON.stringify(document, null, 2)
  if (hasRule(parsed.document, edit) || changed === JSON.stringify(parsed.document, null, 2)) {
    throw new ServiceError(
      'conflict',
      'The draft or the version it is based on already has this change. Check it in the editor.',
    )
  }
  // First, because it can fail, and a second attempt finds the same case.
  const pinned = await pin(scope, row, candidate.outcome)
  const saved = await saveDraft(scope, {
    ...{ ns, key, text: `${changed}\n`, baseVersion: base?.number ?? null },
    seen: draft === null ? null : { id: draft.id, revision: draft.revision },
  })
  if (!saved.ok) {
    throw new ServiceError('conflict', 'Another editor saved the draft meanwhile. Try again.')
  }
  const { projectId } = scope
  const after = { config: `${ns}/${key}`, candidate: wish.candidate, mode: wish.mode, pinned }
  await inTransaction((tx) =>
    recordAudit(tx, {
      ...{ projectId, ...toAuditActor(scope), action: 'prevention.taken', target: wish.id, after },
    }),
  )
  return { ns, key, pinned }
}

/** An added rule is there already, under whatever id and in whatever mode. */
function hasRule({ policies = [] }: ConfigDocument, edit: Edit): boolean {
  if (edit.kind !== 'add_policy') return false
  const digest = (policy: JsonObject): string => computeDigest({ ...policy, id: '', mode: '' })
  const wanted = digest({ ...edit.policy })
  return policies.some((policy) => digest({ ...policy }) === wanted)
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
