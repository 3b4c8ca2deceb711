// Payloads contain ids, never texts or secrets, because a separate table stores them until the job is done.
import { z } from 'zod'

/** A new job needs a line here and its handler in tasks.ts. */
const PAYLOAD = {
  'alerts.deliver': z.object({ deliveryId: z.string() }),
  /** Recurring for all projects; for one project soon after its rules or counted events changed. */
  'alerts.evaluate': z.object({
    projectId: z.string().optional(),
    /** Only rules about calls that wait for approval. Absent: all. */
    only: z.literal('approvals').optional(),
  }),
  /** Recurring for all projects; for one project on an admin's request. */
  'audit.check': z.object({ projectId: z.string().optional() }),
  'backtest.run': z.object({ backtestId: z.string() }),
  'counts.merge': z.object({}),
  'drafts.forget': z.object({}),
  'jobs.tidy': z.object({}),
  'learn.due': z.object({}),
  'learn.run': z.object({ runId: z.string() }),
  'prevention.run': z.object({ preventionId: z.string() }),
  /** Recurring, until it is done: writes the project into rows from before the column. */
  'projects.fill': z.object({}),
  'release.scheduled': z.object({ scheduleId: z.string() }),
  'retention.run': z.object({}),
  'rollups.count': z.object({}),
  'rollups.fold': z.object({}),
  'rollouts.judge': z.object({}),
  'streams.deliver': z.object({ projectId: z.string(), streamId: z.string() }),
  'streams.request': z.object({}),
} as const satisfies Record<string, z.ZodType>

export type TaskName = keyof typeof PAYLOAD

export type PayloadOf<Name extends TaskName> = z.output<(typeof PAYLOAD)[Name]>

export const PAYLOADS: { readonly [Name in TaskName]: z.ZodType<PayloadOf<Name>> } = PAYLOAD
