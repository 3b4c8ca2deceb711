import * as z from 'zod/v4'

const Count = z.int()
const At = z.int().describe('Epoch milliseconds.')

const TestedSessions = z.object({
  sessions: Count.describe('Sessions in which the rule could have acted.'),
  denied: Count.describe('Those in which it would have denied a call or blocked a stop.'),
  denied_sessions: z.array(z.string()).describe('The first 50 of them.'),
  cannot_replay: Count.describe('Those of which facts were not recorded.'),
})

export const ManagedSuggestion = z.object({
  id: z.string().describe('A digest of what the rule says.'),
  kind: z.string(),
  group: z
    .enum(['guard', 'habit'])
    .describe('`guard`: bad sessions broke it more often. `habit`: only a correlation.'),
  state: z.enum(['open', 'taken']),
  sentence: z.string().describe('An observation; Markdown code spans mark names.'),
  evidence: z.string().describe('What it rests on.'),
  pointer: z.string().describe('List or place of a config that the rule belongs to.'),
  rule: z.looseObject({ type: z.string() }),
  good: TestedSessions,
  bad: TestedSessions,
})
export type ManagedSuggestion = z.output<typeof ManagedSuggestion>

/** Rules that the good sessions of a prompt have in common, in the environment of the key. */
export const ManagedSuggestions = z.object({
  status: z
    .enum(['queued', 'running', 'done', 'cancelled', 'failed'])
    .nullable()
    .describe('State of the newest search; null: there was none.'),
  error: z.string().nullable().describe('Why it failed; null: it did not.'),
  sessions: Count.nullable().describe('Sessions to read; null: not chosen yet.'),
  sessions_read: Count,
  searched_at: At.nullable().describe('End of the search that found the rules; null: none ended.'),
  good_sessions: Count.nullable(),
  bad_sessions: Count.nullable(),
  version: Count.nullable().describe('Version that the rules were compared with; null: none.'),
  rules: z.array(ManagedSuggestion).describe('Guards before habits, the clearest first.'),
  refused: z
    .array(ManagedSuggestion)
    .describe('Rules that would have denied too many good sessions.'),
  together: z
    .object({
      good: TestedSessions,
      problems: z.array(z.string()).describe('Problems that the present rules do not have.'),
      is_trap: z
        .boolean()
        .describe('True: the agent could get into a state from which no stop can pass.'),
    })
    .nullable()
    .describe('All `rules` at once; null: there are fewer than two.'),
  dismissed: z.array(
    z.object({
      id: z.string(),
      sentence: z.string(),
      reason: z.string(),
      by: z.string(),
      at: At,
    }),
  ),
})
export type ManagedSuggestions = z.output<typeof ManagedSuggestions>
