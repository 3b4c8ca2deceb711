// What the good and the bad sessions of each day have in common, as counts that add (specs/learn.md).
import 'server-only'
import { reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import type { LearnPlace } from './learn-runs.sql.ts'

export type SampleLabel = 'good' | 'bad'

export interface DayCounts {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly label: SampleLabel
  readonly basis: string
  /** Digest of the tools that were looked at; `mixed`: not the same for all sessions. */
  readonly tools: string
  /** Number of counted events by id of the session. */
  readonly members: Readonly<Record<string, number>>
  readonly counts: Uint8Array
}

const toDate = (day: string): Date => new Date(`${day}T00:00:00Z`)

export async function listDayCounts(
  projectId: AuthorizedProjectId,
  { ns, key, environment }: LearnPlace,
): Promise<readonly DayCounts[]> {
  const rows = await reader().learnCountsDay.findMany({
    where: { projectId, ns, key, environment },
  })
  return rows.map(({ day, label, basis, tools, members, counts }) => ({
    day: day.toISOString().slice(0, 10),
    // Only this module writes these columns.
    label: label as SampleLabel,
    members: members as Readonly<Record<string, number>>,
    ...{ basis, tools, counts },
  }))
}

export async function storeDayCounts(
  projectId: AuthorizedProjectId,
  { ns, key, environment }: LearnPlace,
  { day: date, label, ...rest }: DayCounts,
): Promise<void> {
  const place = { projectId, ns, key, environment, day: toDate(date), label }
  const { basis, tools, members, counts } = rest
  const data = { basis, tools, members: { ...members }, counts: new Uint8Array(counts) }
  await reader().learnCountsDay.upsert({
    where: { projectId_ns_key_environment_day_label: place },
    create: { ...place, ...data },
    update: data,
  })
}

export async function deleteDayCounts(
  projectId: AuthorizedProjectId,
  { ns, key, environment }: LearnPlace,
  { day, label }: Pick<DayCounts, 'day' | 'label'>,
): Promise<void> {
  await reader().learnCountsDay.deleteMany({
    where: { projectId, ns, key, environment, day: toDate(day), label },
  })
}
