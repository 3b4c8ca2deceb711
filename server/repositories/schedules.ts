// Scheduled releases: rows that wait for their time. Each change of state names the states that it may come from, so that of
// a job and a person at once exactly one wins.
import 'server-only'
import type { Tx } from './transaction.ts'

/** True when it waited and is released now. */
export async function settleSchedule(
  tx: Tx,
  { id, releaseId }: { readonly id: string; readonly releaseId: string },
): Promise<boolean> {
  const { count } = await tx.scheduledRelease.updateMany({
    where: { id, state: 'pending' },
    data: { state: 'released', releaseId, settledAt: new Date() },
  })
  return count === 1
}

/** After a roll back: whatever waits for the config, in any environment. */
export async function holdSchedules(
  tx: Tx,
  change: { readonly configId: string; readonly releaseId: string; readonly reason: string },
): Promise<void> {
  const { configId, releaseId: heldBy, reason } = change
  await tx.scheduledRelease.updateMany({
    where: { configId, state: 'pending' },
    data: { state: 'held', heldBy, reason },
  })
}

/**
 * After somebody released the config to the environment by hand: what a roll back there held waits again; what has missed
 * its time is refused, because nobody expects it any more.
 */
export async function resumeSchedules(
  tx: Tx,
  place: { readonly environmentId: string; readonly configId: string },
): Promise<void> {
  const { environmentId, configId } = place
  await tx.$executeRaw`
    UPDATE scheduled_releases s SET
      state = CASE WHEN s.due_at > now() THEN 'pending'::schedule_state ELSE 'refused'::schedule_state END,
      reason = CASE WHEN s.due_at > now() THEN NULL ELSE 'Its time passed while it was held. Schedule it again.' END,
      settled_at = CASE WHEN s.due_at > now() THEN NULL ELSE now() END, held_by = NULL
    FROM releases r
    WHERE s.config_id = ${configId} AND s.state = 'held' AND r.id = s.held_by AND r.environment_id = ${environmentId}`
}
