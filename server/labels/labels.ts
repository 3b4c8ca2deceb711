// The audit log records who labeled what, and no reason: that is an annotation.

import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { KeyScope, ProjectScope } from '@/server/platform/auth/scope.ts'
import { readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, lockByName } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { findLogPlace, readLogAt } from '@/server/sessions/log/session-log.sql.ts'
import type { Label } from './label-input.ts'
import {
  countLabels,
  findLabeledSession,
  type LabeledSession,
  type LabelFacts,
  MOST_LABELS,
  replaceLabel,
} from './labels.sql.ts'

type LabelReader = ProjectScope | KeyScope<'sessions:read' | 'labels:write'>
type Labeller = ProjectScope | KeyScope<'labels:write'>

/** A session of another environment is not found for a key, which belongs to one. */
async function requireSession(reader: LabelReader, sessionId: string): Promise<LabeledSession> {
  const found = await findLabeledSession(reader.projectId, sessionId)
  const isElsewhere = 'keyId' in reader && found?.environment !== reader.environment
  if (found !== null && !isElsewhere) return found
  throw new ServiceError('not_found', `There is no session ${sessionId}.`)
}

/** By sequence number. Rejects with `not_found` when the project has no such session. */
export async function listLabels(
  reader: LabelReader,
  sessionId: string,
): Promise<readonly LabelFacts[]> {
  return (await requireSession(reader, sessionId)).labels
}

const DECISIONS: readonly string[] = ['tool.decided', 'content.decided', 'stop.decided']

async function requireDecision({ projectId }: Labeller, sessionId: string, seq: number) {
  const place = await findLogPlace(projectId, sessionId)
  const [event] = place === null ? [] : await readLogAt(place, [seq])
  if (event === undefined) {
    const why =
      place?.removed == null
        ? `The session has no event #${seq}.`
        : `The events of the session were removed after ${place.removed.days} days. Label the session (seq 0).`
    throw new ServiceError('not_found', why, 'seq')
  }
  if (DECISIONS.includes(event.type)) return
  const why = `Event #${seq} (${event.type}) decides nothing. Name the decision of a call or a stop, or 0 for the session.`
  throw new ServiceError('invalid', why, 'seq')
}

export interface LabelChange {
  readonly sessionId: string
  /** Sequence number of a decision; 0: the session. */
  readonly seq: number
  /** Null: removes the label. */
  readonly label: Label | null
}

/** Rejects with `not_found` when session or event does not exist, `invalid` when the event decides nothing, and `limit` when the session is full. */
export async function setLabel(
  actor: Labeller,
  { sessionId, seq, label }: LabelChange,
): Promise<void> {
  const { projectId } = actor
  await requireSession(actor, sessionId)
  if (label !== null && seq > 0) await requireDecision(actor, sessionId, seq)
  const who = toAuditActor(actor)
  const next = label && {
    ...{ projectId, sessionId, seq, label, labeledAt: new Date() },
    labeledBy: readActorId(actor),
    labeledName: who.actor,
  }
  await inTransaction(async (tx) => {
    await lockByName(tx, `labels ${sessionId}`)
    const before = await replaceLabel(tx, { sessionId, seq }, next)
    if (before === label) return
    if (before === null && (await countLabels(tx, sessionId)) > MOST_LABELS) {
      const most = MOST_LABELS.toLocaleString('en')
      throw new ServiceError('limit', `A session has at most ${most} labels. Remove some.`)
    }
    const action = label === null ? 'label.removed' : 'label.set'
    const after = { seq, label, before }
    await recordAudit(tx, { projectId, ...who, action, target: sessionId, after })
    await notify(tx, { project: projectId, kind: 'label', id: sessionId })
  })
}
