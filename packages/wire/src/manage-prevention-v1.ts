import * as z from 'zod/v4'

const Count = z.int()
const At = z.int().describe('Epoch milliseconds.')

export const PreventingChange = z.object({
  sentence: z.string().describe('The change; Markdown code spans mark names.'),
  evidence: z.string().describe('What it rests on, and what it costs.'),
  outcome: z.enum(['denied', 'waits', 'blocked']).describe('Outcome of the marked call or stop.'),
  denies: Count.describe('Good sessions in which it would have refused something.'),
  denied_sessions: z.array(z.string()).describe('At most 50 of them.'),
  also_stops: Count.describe('Other calls and stops marked as bad that it would have refused.'),
  faults: z.array(z.string()).describe('Sentences about what the change makes wrong.'),
  edit: z.looseObject({ kind: z.string() }).describe('The rule that is added or changed.'),
})

export type PreventingChange = z.output<typeof PreventingChange>

/** A search for the smallest change that would have refused a call or stop. */
export const ManagedPrevention = z.object({
  id: z.string(),
  session: z.string(),
  seq: Count,
  status: z.enum(['queued', 'running', 'done', 'cancelled', 'failed']),
  error: z.string().nullable().describe('Why it failed; null: it did not.'),
  sessions: Count.nullable().describe('Good sessions of the sample; null: not chosen yet.'),
  sessions_read: Count,
  candidates: z
    .array(PreventingChange)
    .nullable()
    .describe(
      'Best first, at most 5, and while the search runs those found so far; null: none yet.',
    ),
  near_misses: z.array(PreventingChange).nullable(),
  no_answer: z
    .string()
    .nullable()
    .describe('Why no rule tells it from good sessions; null: one does, or it is not known yet.'),
  created_at: At,
  finished_at: At.nullable(),
})
export type ManagedPrevention = z.output<typeof ManagedPrevention>
