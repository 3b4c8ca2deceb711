import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { DraftId, PromptInput, Revision, VersionNumber } from '@/server/platform/trpc/inputs.ts'
import { SessionFilterInput } from '@/server/sessions/session-input.ts'
import { CaseId, CaseNote, PinInput, PlainSampleInput, Verdict } from './backtest-input.ts'
import {
  findBacktestForDraft,
  loadBacktestChanges,
  loadBacktestSessions,
  loadBacktests,
  loadBacktestView,
  loadTestedVersions,
} from './backtests.ts'
import { changeCase, loadCase, pinCase, unpinCase } from './pinned-cases.ts'
import { cancelBacktest, startBacktest } from './start-backtest.ts'
import { listArgumentNames, TRIED_KINDS, tryRule } from './try-rule.ts'

const Id = z.object({ id: CaseId })

const SampleInput = z.discriminatedUnion('kind', [
  ...PlainSampleInput.options,
  z.object({
    kind: z.literal('view'),
    name: z.string().trim().min(1).max(200),
    filter: SessionFilterInput,
  }),
])

const Subject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('version'), number: VersionNumber }),
  z.object({ kind: z.literal('draft'), id: DraftId, revision: Revision }),
])

/** Range of the database's integer. */
const Count = z.int().min(0).max(2_147_483_647)

const Place = z.object({
  position: Count,
  seq: Count,
  subject: z.string().max(2_000),
})

const Filter = z.object({
  rule: z.string().max(200).optional(),
  class: z
    .enum(['would_deny', 'would_allow', 'would_block', 'would_release', 'otherwise'])
    .optional(),
  sessionId: z.string().max(80).optional(),
})

export const backtestsRouter = router({
  argumentNames: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => listArgumentNames(ctx.scope, input)),
  tryRule: procedureFor('read')
    .input(
      PromptInput.extend({
        kind: z.enum(TRIED_KINDS),
        text: z.string().max(100_000),
        aliases: z.record(z.string(), z.unknown()).default({}),
      }),
    )
    .query(({ ctx, input }) => tryRule(ctx.scope, input)),
  of: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => loadBacktests(ctx.scope, input)),
  get: procedureFor('read')
    .input(Id)
    .query(({ ctx, input }) => loadBacktestView(ctx.scope, input.id)),
  changes: procedureFor('read')
    .input(Id.extend({ filter: Filter, cursor: Place.nullish() }))
    .query(({ ctx, input }) => {
      const { id, filter, cursor = null } = input
      return loadBacktestChanges(ctx.scope, id, { filter, after: cursor })
    }),
  sessions: procedureFor('read')
    .input(Id.extend({ cursor: Count.nullish() }))
    .query(({ ctx, input }) => loadBacktestSessions(ctx.scope, input.id, input.cursor ?? 0)),
  forDraft: procedureFor('read')
    .input(PromptInput.extend({ digest: z.string().max(100) }))
    .query(({ ctx, input }) => findBacktestForDraft(ctx.scope, input)),
  ofVersions: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => loadTestedVersions(ctx.scope, input)),
  start: procedureFor('draft.edit')
    .input(PromptInput.extend({ sample: SampleInput, subject: Subject }))
    .mutation(({ ctx, input }) => startBacktest(ctx.scope, input)),
  cancel: procedureFor('draft.edit')
    .input(Id)
    .mutation(({ ctx, input }) => cancelBacktest(ctx.scope, input.id)),
  pinned: procedureFor('read')
    .input(Id)
    .query(({ ctx, input }) => loadCase(ctx.scope, input.id)),
  pin: procedureFor('draft.edit')
    .input(PinInput)
    .mutation(({ ctx, input }) => pinCase(ctx.scope, input)),
  changeCase: procedureFor('draft.edit')
    .input(Id.extend({ expected: Verdict, note: CaseNote.nullable() }))
    .mutation(({ ctx, input }) => changeCase(ctx.scope, input)),
  unpin: procedureFor('draft.edit')
    .input(Id)
    .mutation(({ ctx, input }) => unpinCase(ctx.scope, input.id)),
})
