import { EnvironmentName } from '@signalbox/wire'
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { DraftId, PromptInput, Revision, VersionNumber } from '@/server/platform/trpc/inputs.ts'
import { loadDraftHistory, loadEarlierText } from './draft-history.ts'
import { presentIn, reportPresence } from './draft-presence.ts'
import {
  discardDraft,
  loadTrashedDrafts,
  MAX_DRAFT_CHARACTERS,
  openWorkbench,
  rebaseDraft,
  restoreDraft,
  saveDraft,
} from './drafts.ts'
import { ruleActivity } from './rule-activity.ts'

const Seen = PromptInput.extend({ id: DraftId, revision: Revision })

export const draftsRouter = router({
  open: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => openWorkbench(ctx.scope, input)),
  activity: procedureFor('read')
    .input(PromptInput.extend({ environment: EnvironmentName.optional() }))
    .query(({ ctx, input }) => ruleActivity(ctx.scope, input)),
  present: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => presentIn(ctx.scope, input)),
  sayPresence: procedureFor('draft.edit')
    .input(
      PromptInput.extend({
        tab: z.string().min(1).max(64),
        part: z.string().max(200).nullable(),
        leaving: z.boolean().default(false),
      }),
    )
    .mutation(({ ctx, input }) => reportPresence(ctx.scope, input)),
  history: procedureFor('read')
    .input(PromptInput.extend({ cursor: z.string().max(120).nullish() }))
    .query(({ ctx, input: { cursor, ...prompt } }) =>
      loadDraftHistory(ctx.scope, prompt, cursor ?? null),
    ),
  earlierText: procedureFor('read')
    .input(PromptInput.extend({ id: z.string().min(1).max(64) }))
    .query(({ ctx, input }) => loadEarlierText(ctx.scope, input)),
  trash: procedureFor('draft.edit')
    .input(PromptInput)
    .query(({ ctx, input }) => loadTrashedDrafts(ctx.scope, input)),
  save: procedureFor('draft.edit')
    .input(
      PromptInput.extend({
        text: z
          .string()
          .max(
            MAX_DRAFT_CHARACTERS,
            'The text is longer than 4 MiB, so it is kept in this browser only. A config has at most 1 MiB.',
          ),
        seen: z.object({ id: DraftId, revision: Revision }).nullable(),
        baseVersion: VersionNumber.nullable(),
      }),
    )
    .mutation(({ ctx, input }) => saveDraft(ctx.scope, input)),
  rebase: procedureFor('draft.edit')
    .input(Seen.extend({ baseVersion: VersionNumber }))
    .mutation(({ ctx, input }) => rebaseDraft(ctx.scope, input)),
  discard: procedureFor('draft.edit')
    .input(Seen)
    .mutation(({ ctx, input }) => discardDraft(ctx.scope, input)),
  restore: procedureFor('draft.edit')
    .input(PromptInput.extend({ id: DraftId }))
    .mutation(({ ctx, input }) => restoreDraft(ctx.scope, input)),
})
