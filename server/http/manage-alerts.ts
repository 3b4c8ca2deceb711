// A key sees and changes only the rules of its environment: a rule of another one would send what happens there to its destinations.
import { z } from 'zod'
import {
  AcknowledgeInput,
  AlertId,
  HALF_A_NAME,
  isWhole,
  RuleInput,
} from '@/server/alerts/alert-input.ts'
import { alertList } from '@/server/alerts/alert-list.sql.ts'
import { DESTINATION_KIND_NAMES } from '@/server/alerts/destination.kinds.ts'
import { destinationDigest, shownPlace } from '@/server/alerts/destinations.ts'
import {
  acknowledge,
  createRule,
  type ListedRule,
  muteRule,
  removeRule,
  ruleSecret,
  setEnabled,
  storedAlertRules,
  unacknowledge,
  updateRule,
} from '@/server/alerts/rules.ts'
import { ALERT_SIGNAL_NAMES, hasThreshold, hasWindow } from '@/server/alerts/signals.kinds.ts'
import { tryRule } from '@/server/alerts/try-rule.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { Instant } from '@/server/platform/trpc/inputs.ts'
import { action, rowsAnswer, toRows } from './manage-action.ts'

const ROOT = '/api/manage/v1'
const Id = z.object({ id: AlertId })
const Kind = z.enum(DESTINATION_KIND_NAMES)

const Destination = z.object({
  kind: Kind,
  to: z.string().describe('Host, or address of an email. The path of a webhook may be a secret.'),
})

const ListedDestination = Destination.extend({
  digest: z.string().describe('SHA-256 of the kind, a space and the address, hexadecimal.'),
})

const Rule = z.object({
  id: z.string(),
  name: z.string(),
  signal: z.enum(ALERT_SIGNAL_NAMES),
  environment: z.string(),
  ns: z.string().nullable(),
  key: z.string().nullable(),
  runtime: z.string().nullable().describe('Name of a runtime; null: any.'),
  code: z.string().nullable().describe('Reason code; null: any.'),
  window_minutes: z.int(),
  threshold: z.number(),
  enabled: z.boolean(),
  muted_until: z.int().nullable().describe('Epoch milliseconds; null: not muted.'),
  destinations: z.array(ListedDestination),
})

const CONDITION = {
  name: 'Blocked stops',
  signal: 'blocked_stops',
  environment: 'dev',
  ns: null,
  key: null,
  runtime: null,
  code: null,
  window_minutes: 60,
  threshold: 5,
} as const

const EXAMPLE = {
  ...CONDITION,
  destinations: [{ kind: 'webhook', url: 'https://hooks.example.com/alerts' }],
}

const isOwn = ({ key }: ProjectScope, environment: string | null): boolean =>
  key?.environment === environment

function requireOwnPlace(actor: ProjectScope, environment: string | null): void {
  if (isOwn(actor, environment)) return
  throw new ServiceError(
    'forbidden',
    `This API key belongs to ${actor.key?.environment}, and its alert rules must, too.`,
    'environment',
  )
}

async function ownRules(actor: ProjectScope): Promise<readonly ListedRule[]> {
  return (await storedAlertRules(actor)).filter(({ environment }) => isOwn(actor, environment))
}

async function requireOwnRule(actor: ProjectScope, id: string): Promise<ListedRule> {
  const found = (await ownRules(actor)).find((rule) => rule.id === id)
  if (found !== undefined) return found
  throw new ServiceError('not_found', 'This alert rule does not exist.')
}

async function requireOwnAlert(actor: ProjectScope, id: string): Promise<void> {
  const environment = actor.key?.environment
  if ((await alertList.find(actor, { environment }, id)) !== null) return
  throw new ServiceError('not_found', 'There is no such alert.')
}

/** Absent: the rule is for every config, or its signal has no window or no threshold. */
const RuleBody = RuleInput.extend({
  ns: RuleInput.shape.ns.default(null),
  key: RuleInput.shape.key.default(null),
  windowMinutes: RuleInput.shape.windowMinutes
    .optional()
    .describe('Required unless the signal is `approval_waiting` or `approval_lapsing`.'),
  threshold: RuleInput.shape.threshold.optional().describe(
    `Required unless the signal is ${ALERT_SIGNAL_NAMES.filter((signal) => !hasThreshold(signal))
      .map((signal) => `\`${signal}\``)
      .join(', ')}.`,
  ),
})

const ChangedRuleBody = RuleBody.extend({
  ...Id.shape,
  destinations: RuleInput.shape.destinations.optional().describe('Absent: they stay.'),
})

/** Stored where the signal has no such condition. */
const NO_CONDITION = 1

/** Rejects with `invalid` when a condition of the signal is absent. */
function requireConditions({
  signal,
  windowMinutes,
  threshold,
}: Pick<z.output<typeof RuleBody>, 'signal' | 'windowMinutes' | 'threshold'>) {
  if (windowMinutes === undefined && hasWindow(signal)) {
    throw new ServiceError('invalid', `The signal ${signal} needs a window.`, 'windowMinutes')
  }
  if (threshold === undefined && hasThreshold(signal)) {
    throw new ServiceError('invalid', `The signal ${signal} needs a threshold.`, 'threshold')
  }
  return {
    windowMinutes: windowMinutes ?? NO_CONDITION,
    threshold: threshold ?? NO_CONDITION,
  }
}

const RULE = `${ROOT}/alert-rules/{id}`

export const ALERT_ENDPOINTS = [
  action({
    method: 'GET',
    path: `${ROOT}/alert-rules`,
    summary: 'List alert rules',
    description: 'Lists the alert rules of the environment.',
    input: z.object({}),
    answer: rowsAnswer(Rule, {
      id: 'alrule_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
      ...CONDITION,
      enabled: true,
      muted_until: null,
      destinations: [{ kind: 'webhook', to: 'hooks.example.com', digest: '4f'.repeat(32) }],
    }),
    run: async (actor) =>
      toRows(
        (await ownRules(actor)).map((rule) => ({
          ...rule,
          destinations: rule.destinations.map((each) => ({
            kind: each.kind,
            to: shownPlace(each),
            digest: destinationDigest(each),
          })),
        })),
      ),
  }),
  action({
    method: 'POST',
    path: `${ROOT}/alert-rules`,
    summary: 'Create an alert rule',
    input: RuleBody,
    whole: RuleBody.refine(isWhole, HALF_A_NAME),
    example: EXAMPLE,
    answer: {
      status: 201,
      description: 'The rule.',
      schema: z.object({ id: z.string() }),
      example: { id: 'alrule_01JB2Q3V4W5X6Y7Z8A9B0C1D2E' },
    },
    run: async (actor, input) => {
      requireOwnPlace(actor, input.environment)
      return await createRule(actor, { ...input, ...requireConditions(input) })
    },
  }),
  action({
    method: 'PUT',
    path: RULE,
    summary: 'Change an alert rule',
    description: 'Replaces the whole rule.',
    input: ChangedRuleBody,
    whole: ChangedRuleBody.refine(isWhole, HALF_A_NAME),
    inPath: { id: 'id' },
    example: EXAMPLE,
    run: async (actor, { id, destinations, ...rule }) => {
      const stored = await requireOwnRule(actor, id)
      requireOwnPlace(actor, rule.environment)
      await updateRule(actor, id, {
        ...rule,
        ...requireConditions(rule),
        destinations: destinations ?? stored.destinations,
      })
    },
  }),
  action({
    method: 'DELETE',
    path: RULE,
    summary: 'Remove an alert rule',
    input: Id,
    inPath: { id: 'id' },
    run: async (actor, { id }) => {
      await requireOwnRule(actor, id)
      await removeRule(actor, id)
    },
  }),
  action({
    method: 'POST',
    path: `${RULE}/mute`,
    summary: 'Mute an alert rule',
    input: Id.extend({
      until: Instant.nullable().describe('Epoch milliseconds; null ends the mute.'),
    }),
    inPath: { id: 'id' },
    example: { until: 1_795_000_000_000 },
    run: async (actor, { id, until }) => {
      await requireOwnRule(actor, id)
      await muteRule(actor, id, until)
    },
  }),
  action({
    method: 'POST',
    path: `${RULE}/enable`,
    summary: 'Enable or disable an alert rule',
    input: Id.extend({ enabled: z.boolean() }),
    inPath: { id: 'id' },
    example: { enabled: false },
    run: async (actor, { id, enabled }) => {
      await requireOwnRule(actor, id)
      await setEnabled(actor, id, enabled)
    },
  }),
  action({
    method: 'POST',
    path: `${RULE}/test`,
    summary: 'Send a test message to the destinations of an alert rule',
    id: 'test-an-alert-rule',
    input: Id,
    inPath: { id: 'id' },
    answer: rowsAnswer(Destination.extend({ why: z.string().nullable() }), {
      kind: 'webhook',
      to: 'hooks.example.com',
      why: null,
    }),
    run: async (actor, { id }) => {
      await requireOwnRule(actor, id)
      return toRows(await tryRule(actor, id))
    },
  }),
  action({
    method: 'POST',
    path: `${RULE}/secret`,
    summary: 'Read the secret that signs the webhooks of an alert rule',
    id: 'read-the-secret-of-an-alert-rule',
    description: 'Recorded in the audit log.',
    input: Id,
    inPath: { id: 'id' },
    answer: {
      status: 200,
      description: 'The secret.',
      schema: z.object({ secret: z.string() }),
      example: { secret: '…' },
    },
    run: async (actor, { id }) => {
      await requireOwnRule(actor, id)
      return await ruleSecret(actor, id)
    },
  }),
  action({
    method: 'POST',
    path: `${ROOT}/alerts/{id}/acknowledge`,
    summary: 'Acknowledge an alert',
    input: AcknowledgeInput,
    inPath: { id: 'id' },
    example: { note: 'Known outage.' },
    refusals: { 409: { description: 'The alert is already acknowledged.' } },
    run: async (actor, { id, note }) => {
      await requireOwnAlert(actor, id)
      await acknowledge(actor, id, note)
    },
  }),
  action({
    method: 'POST',
    path: `${ROOT}/alerts/{id}/unacknowledge`,
    summary: 'Withdraw the acknowledgment of an alert',
    id: 'unacknowledge-an-alert',
    input: Id,
    inPath: { id: 'id' },
    refusals: { 409: { description: 'Another user or key acknowledged it, or no one did.' } },
    run: async (actor, { id }) => {
      await requireOwnAlert(actor, id)
      await unacknowledge(actor, id)
    },
  }),
]
