// Names and payloads of all jobs, so that services can enqueue without importing the workers. Payloads contain ids, never texts or secrets,
// because a separate table stores them until the job is done.
import { z } from 'zod'

/** A new job needs a line here and its handler in tasks.ts. */
const PAYLOAD = {
  'alerts.deliver': z.object({ deliveryId: z.string() }),
  /** Recurring for all projects; for one project soon after its rules or counted events changed. */
  'alerts.evaluate': z.object({ projectId: z.string().optional() }),
  /** Recurring for all projects; for one project on an admin's request. */
  'audit.check': z.object({ projectId: z.string().optional() }),
  'backtest.run': z.object({ backtestId: z.string() }),
  /** Recurring: moves the shards of shared counts to their tables. */
  'counts.merge': z.object({}),
  /** Recurring: deletes earlier texts of drafts after 30 days. */
  'drafts.forget': z.object({}),
  /** Recurring: deletes jobs two weeks after they failed permanently. */
  'jobs.tidy': z.object({}),
  /** Recurring, until it is done: writes the project into rows from before the column. */
  'projects.fill': z.object({}),
  /** When due: makes the planned release, or records why not. */
  'release.scheduled': z.object({ scheduleId: z.string() }),
  /** Recurring: removes what the projects' retention rules no longer keep. */
  'retention.run': z.object({}),
  /** Recurring: counts sessions that were stored before Analytics existed. */
  'rollups.count': z.object({}),
  /** Recurring: merges older counts. */
  'rollups.fold': z.object({}),
  /** Recurring: evaluates every running staged rollout. */
  'rollouts.judge': z.object({}),
} as const satisfies Record<string, z.ZodType>

export type TaskName = keyof typeof PAYLOAD

export type PayloadOf<Name extends TaskName> = z.output<(typeof PAYLOAD)[Name]>

export const PAYLOADS: { readonly [Name in TaskName]: z.ZodType<PayloadOf<Name>> } = PAYLOAD
