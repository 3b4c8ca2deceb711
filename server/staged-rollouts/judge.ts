// Each session counts once, in the order in which sessions were found to have ended, so frequent evaluation does no harm.

import { plural } from '@signalbox/core/analysis'
import { findVersionById } from '@/server/configs/versions.sql.ts'
import { lockEnvironment } from '@/server/environments/environments.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { systemScope } from '@/server/platform/auth/system.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { rollBack } from '@/server/releases/releases.ts'
import { endRollout } from '@/server/releases/staged-rollout-life.ts'
import {
  changeRollout,
  findRollout,
  type GuardMetric,
  listRunning,
  type RolloutRow,
  takeSessions,
} from '@/server/releases/staged-rollouts.sql.ts'
import { computeMean, computeVerdict, type GuardTest, NOTHING_SEEN, observe } from './guard-test.ts'

/** The row was written from a GuardTest. */
export function readTest({ test }: Pick<RolloutRow, 'test'>): GuardTest {
  return test === null ? NOTHING_SEEN : (test as unknown as GuardTest)
}

const METRIC_NOUN = {
  denials: 'denied calls',
  blocks: 'blocked stops',
  overrides: 'incomplete outputs',
} as const satisfies Record<GuardMetric, string>

function worseSentence(rollout: RolloutRow, test: GuardTest): string {
  const per = (mean: number | null) => (mean ?? 0).toFixed(2)
  const noun = METRIC_NOUN[rollout.metric]
  const seen = ({ sessions }: GuardTest['base']) => `in ${plural(sessions, 'session')}`
  return `${per(computeMean(test.candidate))} ${noun} per session ${seen(test.candidate)}; earlier version: ${per(computeMean(test.base))} ${seen(test.base)}; limit: ${rollout.ratio} times the earlier version.`
}

/** A failing rollout does not stop the evaluation of others. Rejects at the end with the first failure. */
export async function judgeRollouts(now: number, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  for (const { id, projectId } of await listRunning()) {
    signal?.throwIfAborted()
    try {
      await judge(systemScope(projectId), id, now)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function judge(actor: ProjectScope, id: string, now: number): Promise<void> {
  const worse = await inTransaction(async (tx) => {
    const rollout = await lockRunning(tx, actor, id)
    return rollout === null ? null : await judgeIn(tx, actor, { rollout, now })
  })
  if (worse !== null) await rollBackRelease(actor, worse)
}

async function lockRunning(
  tx: Tx,
  { projectId }: ProjectScope,
  id: string,
): Promise<RolloutRow | null> {
  const seen = await findRollout({ id, projectId }, tx)
  if (seen === null) return null
  await lockEnvironment(tx, seen)
  const rollout = await findRollout({ id, projectId }, tx)
  return rollout?.state === 'running' ? rollout : null
}

/** Returns a watch whose version is worse. It ends with the release that rolls it back, so that a crash in between repeats the rollback. */
async function judgeIn(
  tx: Tx,
  actor: ProjectScope,
  { rollout, now }: { readonly rollout: RolloutRow; readonly now: number },
): Promise<RolloutRow | null> {
  let test = readTest(rollout)
  for (const session of await takeSessions(tx, rollout)) {
    test = observe(test, session, rollout.ratio)
  }
  const isWorse = computeVerdict(test, rollout.minSessions) === 'worse'
  const reason = isWorse ? worseSentence(rollout, test) : null
  const worseAt = isWorse ? new Date(rollout.worseAt ?? now) : null
  await changeRollout(tx, rollout, { test, reason, worseAt })
  const newBundle = rollout.kind === 'staged'
  if (isWorse && !newBundle) return { ...rollout, reason }
  if (isWorse) {
    const end = { state: 'rolled_back', reason, note: null } as const
    await endRollout(tx, actor, { rollout, end, newBundle })
    return null
  }
  if (rollout.endsAt !== null && rollout.endsAt <= now) {
    const end = { state: 'passed', reason: null, note: null } as const
    await endRollout(tx, actor, { rollout, end, newBundle })
  }
  return null
}

async function rollBackRelease(scope: ProjectScope, rollout: RolloutRow): Promise<void> {
  const { environment, ns, key, baseVersionId, versionId, reason } = rollout
  const { projectId } = scope
  const [base, version] = await Promise.all([
    findVersionById({ projectId, id: baseVersionId }),
    findVersionById({ projectId, id: versionId }),
  ])
  if (base === null || version === null) return
  const refusal = await rollBack(scope, {
    ns,
    key,
    environment,
    version: base.number,
    expectedLive: version.number,
    note: `Rolled back by Signalbox: ${reason ?? ''}`,
  }).then(
    (result) => (result.ok ? null : result.message),
    (error: unknown) => {
      if (error instanceof ServiceError) return error.message
      throw error
    },
  )
  if (refusal === null) return
  await inTransaction(async (tx) => {
    const running = await lockRunning(tx, scope, rollout.id)
    if (running === null) return
    const sentence = `${reason ?? ''} It was not rolled back: ${refusal}`
    await changeRollout(tx, running, { reason: sentence })
  })
}
