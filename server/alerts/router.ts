// The console's alert procedures: what fires, the rules, and what a rule would have said.

import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { Instant } from '@/server/platform/trpc/inputs.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import { alertList, findAlerts } from './alert-list.sql.ts'
import { ALERTS } from './alerts.list.ts'
import { Destinations } from './destinations-router.ts'
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
  unreadAlerts,
  updateRule,
} from './rules.ts'
import { ALERT_SIGNAL_NAMES } from './signals.kinds.ts'
import { alertMail, tryRule } from './try-rule.ts'

const Id = z.object({ id: z.string().min(1).max(100) })
const Condition = z.object({
  signal: z.enum(ALERT_SIGNAL_NAMES),
  environment: z.string().min(1).max(40).nullable(),
  ns: z.string().min(1).max(120).nullable(),
  key: z.string().min(1).max(100).nullable(),
  runtime: z.string().min(1).max(300).nullable().default(null),
  code: z.string().min(1).max(100).nullable().default(null),
  windowMinutes: z
    .int('Use whole minutes.')
    .min(1, 'At least one minute.')
    .max(1440, 'At most a day (1440 minutes).'),
  threshold: z.number().gt(0, 'Use a number above 0.').max(1_000_000),
})
const Filter = z.object(filterShape(ALERTS))
const Rule = Condition.extend({
  name: z.string().max(100, 'A name has at most 100 characters.'),
  destinations: Destinations,
})

/** A rule is about one config or about all, and half a name names none. */
const isWhole = ({ ns, key }: { readonly ns: string | null; readonly key: string | null }) =>
  (ns === null) === (key === null)
const HALF = { path: ['key'], error: 'Name the config by namespace and key, or leave both out.' }

export const alertsRouter = router({
  list: procedureFor('read')
    .input(listInput(ALERTS, Filter))
    .query(({ ctx, input }) => alertList.page(ctx.scope, input)),
  rows: procedureFor('read')
    .input(z.object({ filter: Filter, ids: z.array(Id.shape.id).max(500) }))
    .query(({ ctx, input }) => findAlerts(ctx.scope.projectId, input.filter, input.ids)),
  unread: procedureFor('read').query(({ ctx }) => unreadAlerts(ctx.scope)),
  acknowledge: procedureFor('alert.acknowledge')
    .input(
      Id.extend({ note: z.string().max(2_000, 'A note has at most 2,000 characters.').nullable() }),
    )
    .mutation(({ ctx, input }) => acknowledge(ctx.scope, input.id, input.note)),
  unacknowledge: procedureFor('alert.acknowledge')
    .input(Id)
    .mutation(({ ctx, input }) => unacknowledge(ctx.scope, input.id)),
  rules: procedureFor('alert.manage').query(({ ctx }) => alertRules(ctx.scope)),
  mail: procedureFor('alert.manage').query(() => alertMail()),
  preview: procedureFor('read')
    .input(Condition.refine(isWhole, HALF))
    .query(({ ctx, input }) => previewRule(ctx.scope, input)),
  create: procedureFor('alert.manage')
    .input(Rule.refine(isWhole, HALF))
    .mutation(({ ctx, input }) => createRule(ctx.scope, input)),
  change: procedureFor('alert.manage')
    .input(Rule.extend(Id.shape).refine(isWhole, HALF))
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
