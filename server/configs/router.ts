import { EnvironmentName } from '@signalbox/wire'
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { PromptInput, VersionNumber } from '@/server/platform/trpc/inputs.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import { checkConditions } from './check-conditions.ts'
import { MOST_CONDITIONS } from './condition-input.ts'
import { findTemplate, listTemplates, TEMPLATE_NAMES } from './config-templates.ts'
import { CONFIGS } from './configs.list.ts'
import {
  createConfig,
  listConfigs,
  loadConfigDetail,
  loadRecentRefusals,
  loadVersionText,
  setArchived,
} from './configs.ts'
import { MAX_DRAFT_CHARACTERS } from './drafts.ts'
import { changeMandatoryBase, findBase, loadInheritance, loadMandatoryBase } from './inheritance.ts'
import { listUnmanagedPrompts } from './listed-configs.sql.ts'
import { reportedPrompt } from './reported-prompt.ts'
import { rulesInWords } from './rules-in-words.ts'

/** Absent or null: all of them. */
const AnyEnvironment = EnvironmentName.nullable().default(null)

export const configsRouter = router({
  list: procedureFor('read')
    .input(listInput(CONFIGS, z.object(filterShape(CONFIGS))))
    .query(({ ctx, input }) => listConfigs(ctx.scope, input)),
  unmanaged: procedureFor('read')
    .input(z.object({ environment: AnyEnvironment }).default({ environment: null }))
    .query(({ ctx, input }) => listUnmanagedPrompts(ctx.scope, input.environment)),
  reported: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => reportedPrompt(ctx.scope, input)),
  recent: procedureFor('read')
    .input(
      PromptInput.extend({
        environment: AnyEnvironment,
        rule: z.string().min(1).max(200).nullable().default(null),
      }),
    )
    .query(({ ctx, input }) => loadRecentRefusals(ctx.scope, input)),
  get: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => loadConfigDetail(ctx.scope, input)),
  version: procedureFor('read')
    .input(PromptInput.extend({ number: VersionNumber }))
    .query(async ({ ctx, input }) => {
      const version = await loadVersionText(ctx.scope, input, input.number)
      return { ...version, rules: rulesInWords(version.text) }
    }),
  inheritance: procedureFor('read')
    .input(PromptInput.extend({ number: VersionNumber.optional() }))
    .query(({ ctx, input: { number, ...prompt } }) => loadInheritance(ctx.scope, prompt, number)),
  templates: procedureFor('read').query(() => listTemplates()),
  template: procedureFor('read')
    .input(z.object({ name: z.string().min(1).max(64) }))
    .query(({ input }) => findTemplate(input.name)),
  /** The base that a text extends; null: the project has no such version. */
  base: procedureFor('read')
    .input(z.object({ reference: z.string().min(1).max(240) }))
    .query(({ ctx, input }) => findBase(ctx.scope, input.reference)),
  checkConditions: procedureFor('read')
    .input(
      z.object({
        conditions: z
          .array(
            z.object({
              source: z.string().max(MAX_DRAFT_CHARACTERS),
              variables: z.array(z.string().max(64)).max(16).nullable(),
            }),
          )
          .min(1)
          .max(MOST_CONDITIONS),
      }),
    )
    .query(({ input }) => checkConditions(input.conditions)),
  mandatoryBase: procedureFor('read').query(({ ctx }) => loadMandatoryBase(ctx.scope)),
  setMandatoryBase: procedureFor('project.manage')
    .input(z.object({ base: PromptInput.nullable() }))
    .mutation(({ ctx, input }) => changeMandatoryBase(ctx.scope, input.base)),
  create: procedureFor('draft.edit')
    .input(
      PromptInput.extend({
        template: z.enum(TEMPLATE_NAMES).default('blank'),
        mode: z.enum(['shadow', 'enforce']).default('shadow'),
        text: z.string().max(MAX_DRAFT_CHARACTERS).optional(),
      }),
    )
    .mutation(({ ctx, input }) => createConfig(ctx.scope, input)),
  setArchived: procedureFor('release.publish')
    .input(PromptInput.extend({ archived: z.boolean() }))
    .mutation(({ ctx, input }) => setArchived(ctx.scope, input, input.archived)),
})
