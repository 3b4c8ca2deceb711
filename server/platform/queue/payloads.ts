// All jobs and their payloads: names and payloads only, so that services can enqueue without importing the workers. Payloads have ids,
// never texts or secrets: they are stored in a separate table until the job is done.
import { z } from 'zod'

/** A new job is a line here and its handler in tasks.ts. */
const PAYLOAD = {
  /** Sends one message about an alert. */
  'alerts.deliver': z.object({ deliveryId: z.string() }),
  /** Recurring for every project; for one soon after its rules or what they count changed. */
  'alerts.evaluate': z.object({ projectId: z.string().optional() }),
  /** Recurring for every project; for one when an admin asks. */
  'audit.check': z.object({ projectId: z.string().optional() }),
  'backtest.run': z.object({ backtestId: z.string() }),
  /** Recurring: deletes texts of drafts from more than 30 days ago. */
  'drafts.forget': z.object({}),
  /** Recurring: deletes jobs that failed permanently two weeks ago. */
  'jobs.tidy': z.object({}),
  /** Due: makes the planned release, or records why not. */
  'release.scheduled': z.object({ scheduleId: z.string() }),
  /** Recurring: removes what the projects' rules no longer keep. */
  'retention.run': z.object({}),
  /** Recurring: counts sessions that were stored before there were counts. */
  'rollups.count': z.object({}),
  /** Recurring: makes older counts fewer. */
  'rollups.fold': z.object({}),
  /** Recurring: compares the cohorts of every rollout that runs. */
  'rollouts.judge': z.object({}),
} as const satisfies Record<string, z.ZodType>

export type TaskName = keyof typeof PAYLOAD

export type PayloadOf<Name extends TaskName> = z.output<(typeof PAYLOAD)[Name]>

export const PAYLOADS: { readonly [Name in TaskName]: z.ZodType<PayloadOf<Name>> } = PAYLOAD
