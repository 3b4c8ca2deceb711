import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { Instant } from '@/server/platform/trpc/inputs.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import {
  AcknowledgeInput,
  AlertId,
  ConditionInput,
  HALF_A_NAME,
  isWhole,
  RuleInput,
} from './alert-input.ts'
import { alertList, countOpenAlerts, findAlerts } from './alert-list.sql.ts'
import { ALERTS } from './alerts.list.ts'
import { loadAlertSummary, loadRecommended } from './recommended.ts'
import { loadRuleValues } from './rule-values.ts'
import {
  acknowledge,
  alertRules,
  createRule,
  muteRule,
  previewRule,
  removeRule,
  ruleSecret,
  setEnabled,
  unacknowledge,
  updateRule,
} from './rules.ts'
import { alertMail, tryRule } from './try-rule.ts'

const Id = z.object({ id: AlertId })
const Filter = z.object(filterShape(ALERTS))

export const alertsRouter = router({
  list: procedureFor('read')
    .input(listInput(ALERTS, Filter))
    .query(({ ctx, input }) => alertList.page(ctx.scope, input)),
  rows: procedureFor('read')
    .input(z.object({ filter: Filter, ids: z.array(AlertId).max(500) }))
    .query(({ ctx, input }) => findAlerts(ctx.scope.projectId, input.filter, input.ids)),
  unread: procedureFor('read').query(
    async ({ ctx }) => (await countOpenAlerts(ctx.scope.projectId)).firing,
  ),
  acknowledge: procedureFor('alert.acknowledge')
    .input(AcknowledgeInput)
    .mutation(({ ctx, input }) => acknowledge(ctx.scope, input.id, input.note)),
  unacknowledge: procedureFor('alert.acknowledge')
    .input(Id)
    .mutation(({ ctx, input }) => unacknowledge(ctx.scope, input.id)),
  rules: procedureFor('alert.manage').query(({ ctx }) => alertRules(ctx.scope)),
  values: procedureFor('alert.manage').query(({ ctx }) => loadRuleValues(ctx.scope)),
  summary: procedureFor('read').query(({ ctx }) => loadAlertSummary(ctx.scope)),
  recommended: procedureFor('read').query(({ ctx }) => loadRecommended(ctx.scope)),
  mail: procedureFor('alert.manage').query(() => alertMail()),
  preview: procedureFor('read')
    .input(ConditionInput.refine(isWhole, HALF_A_NAME))
    .query(({ ctx, input }) => previewRule(ctx.scope, input)),
  create: procedureFor('alert.manage')
    .input(RuleInput.refine(isWhole, HALF_A_NAME))
    .mutation(({ ctx, input }) => createRule(ctx.scope, input)),
  change: procedureFor('alert.manage')
    .input(RuleInput.extend(Id.shape).refine(isWhole, HALF_A_NAME))
    .mutation(({ ctx, input: { id, ...rule } }) => updateRule(ctx.scope, id, rule)),
  mute: procedureFor('alert.acknowledge')
    .input(Id.extend({ until: Instant.nullable() }))
    .mutation(({ ctx, input }) => muteRule(ctx.scope, input.id, input.until)),
  enable: procedureFor('alert.manage')
    .input(Id.extend({ enabled: z.boolean() }))
    .mutation(({ ctx, input }) => setEnabled(ctx.scope, input.id, input.enabled)),
  remove: procedureFor('alert.manage')
    .input(Id)
    .mutation(({ ctx, input }) => removeRule(ctx.scope, input.id)),
  test: procedureFor('alert.manage')
    .input(Id)
    .mutation(({ ctx, input }) => tryRule(ctx.scope, input.id)),
  secret: procedureFor('alert.manage')
    .input(Id)
    .mutation(({ ctx, input }) => ruleSecret(ctx.scope, input.id)),
})
