// The console's configs procedures: list, read, create, archive.
import { z } from 'zod'
import { TEMPLATE_NAMES } from '../services/config-templates.ts'
import {
  configDetail,
  createConfig,
  listConfigs,
  setArchived,
  versionText,
} from '../services/configs.ts'
import { MAX_DRAFT_CHARACTERS } from '../services/drafts.ts'
import { procedureFor, router } from '../trpc/init.ts'
import { PromptInput, VersionNumber } from './config-input.ts'

export const configsRouter = router({
  list: procedureFor('read')
    .input(z.object({ archived: z.boolean().default(false) }).default({ archived: false }))
    .query(({ ctx, input }) => listConfigs(ctx.scope, input)),
  get: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => configDetail(ctx.scope, input)),
  version: procedureFor('read')
    .input(PromptInput.extend({ number: VersionNumber }))
    .query(({ ctx, input }) => versionText(ctx.scope, input, input.number)),
  create: procedureFor('draft.edit')
    .input(
      PromptInput.extend({
        template: z.enum(TEMPLATE_NAMES).default('blank'),
        text: z.string().max(MAX_DRAFT_CHARACTERS).optional(),
      }),
    )
    .mutation(({ ctx, input }) => createConfig(ctx.scope, input)),
  setArchived: procedureFor('release.publish')
    .input(PromptInput.extend({ archived: z.boolean() }))
    .mutation(({ ctx, input }) => setArchived(ctx.scope, input, input.archived)),
})
