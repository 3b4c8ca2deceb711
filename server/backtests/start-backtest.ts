// The text is copied here: a draft that is edited meanwhile makes the result outdated but never mixes two texts.

import { loadBases } from '@/server/configs/bases.sql.ts'
import { checkConfigText } from '@/server/configs/config-text.ts'
import type { PromptName } from '@/server/configs/configs.sql.ts'
import { requireConfig } from '@/server/configs/configs.ts'
import { findOpenDraft } from '@/server/configs/drafts.sql.ts'
import { findVersion } from '@/server/configs/versions.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { type Actor, readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { removeJob } from '@/server/platform/queue/jobs.sql.ts'
import { listCustomTypes } from '@/server/runtimes/runtimes.sql.ts'
import { type AskedFilter, filterFor } from '@/server/sessions/session-lists.ts'
import {
  countOpenBacktests,
  endBacktest,
  insertBacktest,
  type PlainSample,
  type Sample,
} from './backtests.sql.ts'
import { requireBacktest } from './backtests.ts'

export type AskedSample =
  | PlainSample
  | { readonly kind: 'view'; readonly name: string; readonly filter: AskedFilter }

/** A key samples its environment only. Rejects with `invalid` when it names a saved view, which belongs to users. */
function sampleFor(actor: Actor, sample: AskedSample): Sample {
  if (sample.kind !== 'view') {
    return 'keyId' in actor ? { ...sample, environment: actor.environment } : sample
  }
  if ('keyId' in actor) {
    throw new ServiceError('invalid', 'A key samples no saved view.', 'sample.kind')
  }
  return { ...sample, filter: filterFor(actor, sample.filter) }
}

export interface BacktestWish extends PromptName {
  readonly sample: AskedSample
  readonly subject:
    | { readonly kind: 'version'; readonly number: number }
    | { readonly kind: 'draft'; readonly id: string; readonly revision: number }
}

export type StartResult =
  | { readonly ok: true; readonly id: string }
  /** The draft was saved meanwhile; review it and try again. */
  | { readonly ok: false; readonly reason: 'stale' }

/** Waiting and running together, in a project: each may read millions of events, and the job lanes are shared. */
const MOST_OPEN = 20

/** Rejects with `invalid` for a text that cannot be published, naming the first problem, and with `limit`. */
export async function startBacktest(scope: Actor, wish: BacktestWish): Promise<StartResult> {
  const { projectId } = scope
  const { id: configId, ns, key } = await requireConfig(scope, wish)
  const found = await loadBacktestText(projectId, configId, wish.subject)
  if (found === null) return { ok: false, reason: 'stale' }
  const [customTypes, bases] = await Promise.all([
    listCustomTypes(scope),
    loadBases(scope, [found.text]),
  ])
  const checked = checkConfigText(found.text, { ns, key, customTypes, bases })
  if (!checked.ok) {
    const [problem] = checked.problems
    throw new ServiceError(
      'invalid',
      `The draft has a problem to fix first: ${problem?.pointer ?? ''} ${problem?.message ?? ''}`,
      problem?.pointer,
    )
  }
  const { draftId, version } = found
  const { digest, text } = checked
  return await inTransaction(async (tx) => {
    if ((await countOpenBacktests(tx, projectId)) >= MOST_OPEN) {
      throw new ServiceError(
        'limit',
        `A project has at most ${MOST_OPEN} backtests that wait or run. Cancel one, or wait for the first to end.`,
      )
    }
    const sample = sampleFor(scope, wish.sample)
    const row = { projectId, configId, draftId, version, digest, text, customTypes, sample }
    const id = await insertBacktest(tx, { ...row, createdBy: readActorId(scope) })
    await enqueue(tx, {
      task: 'backtest.run',
      payload: { backtestId: id },
      key: toJobKey(id),
      maxAttempts: 6,
    })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'backtest.started',
      target: id,
      after: { config: `${ns}/${key}`, digest, sample: toAuditSample(sample) },
    })
    await notify(tx, { project: projectId, kind: 'backtest', id })
    return { ok: true, id }
  })
}

/** The audit log names a view; its filter is stored with the run. */
function toAuditSample(sample: Sample) {
  return sample.kind === 'view' ? { kind: sample.kind, name: sample.name } : { ...sample }
}

function toJobKey(id: string): string {
  return `backtest ${id}`
}

interface FoundText {
  readonly draftId: string | null
  readonly version: number | null
  readonly text: string
}

async function loadBacktestText(
  projectId: AuthorizedProjectId,
  configId: string,
  subject: BacktestWish['subject'],
): Promise<FoundText | null> {
  if (subject.kind === 'version') {
    const version = await findVersion({ configId, number: subject.number })
    if (version === null) {
      throw new ServiceError('not_found', `There is no version ${subject.number}.`, 'version')
    }
    return { draftId: null, version: version.number, text: version.text }
  }
  const draft = await findOpenDraft({ projectId, configId })
  if (draft?.id !== subject.id || draft.revision !== subject.revision) return null
  return { draftId: draft.id, version: null, text: draft.text }
}

/** Keeps the results so far. False: the run was already over. Rejects with `not_found`. */
export async function cancelBacktest(scope: Actor, id: string): Promise<{ readonly ok: boolean }> {
  const { projectId } = scope
  await requireBacktest(scope, id)
  return await inTransaction(async (tx) => {
    const ok = await endBacktest(tx, { id, projectId, status: 'cancelled' })
    if (ok) {
      await removeJob(tx, toJobKey(id))
      await recordAudit(tx, {
        projectId,
        ...toAuditActor(scope),
        action: 'backtest.cancelled',
        target: id,
      })
      await notify(tx, { project: projectId, kind: 'backtest', id })
    }
    return { ok }
  })
}
