// Input shapes of alerts, rules and destinations. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'
import { DESTINATION_KIND_NAMES, destinationKind } from './destination.kinds.ts'
import { ALERT_SIGNAL_NAMES, alertSignal } from './signals.kinds.ts'

export const AlertId = z.string().min(1).max(100)

export const AcknowledgeInput = z.object({
  id: AlertId,
  note: z.string().max(2_000, 'A note has at most 2,000 characters.').nullable(),
})

const MINUTES = 'Use whole minutes from 1 to 1440.'
const ABOVE_0 = 'Use a number above 0.'

export const ConditionInput = z.object({
  signal: z.enum(ALERT_SIGNAL_NAMES),
  environment: z.string().min(1).max(40).nullable(),
  ns: z.string().min(1).max(120).nullable(),
  key: z.string().min(1).max(100).nullable(),
  runtime: z.string().min(1).max(300).nullable().default(null),
  code: z.string().min(1).max(100).nullable().default(null),
  windowMinutes: z.int(MINUTES).min(1, MINUTES).max(1440, MINUTES),
  threshold: z.number(ABOVE_0).gt(0, ABOVE_0).max(1_000_000, 'Use a number up to 1,000,000.'),
})

export const MOST_DESTINATIONS = 5

const DestinationInput = z.object({
  kind: z.enum(DESTINATION_KIND_NAMES),
  url: z.string().max(2_000),
})

export const RuleInput = ConditionInput.extend({
  name: z.string().max(100, 'A name has at most 100 characters.'),
  destinations: z
    .array(DestinationInput)
    .max(MOST_DESTINATIONS, `A rule has at most ${MOST_DESTINATIONS} destinations.`)
    .readonly(),
})

/** A rule is for one config or for all of them, so namespace and key are set together. */
export function isWhole({ ns, key }: Pick<AlertRuleInput, 'ns' | 'key'>): boolean {
  return (ns === null) === (key === null)
}

export const HALF_A_NAME = {
  path: ['key'],
  error: 'Name the config by namespace and key, or leave both out.',
}

export type AlertRuleInput = z.output<typeof RuleInput>

/** Reason why messages cannot be sent there; null: the address has the right form. */
export function findDestinationProblem({
  kind,
  url,
}: z.output<typeof DestinationInput>): string | null {
  return destinationKind(kind).findProblem(url)
}

export function findThresholdProblem({
  signal,
  threshold,
}: Pick<AlertRuleInput, 'signal' | 'threshold'>): string | null {
  return alertSignal(signal).measure === 'share' && threshold > 100
    ? 'Use a number above 0, up to 100.'
    : null
}

interface Problem {
  readonly field: string
  readonly message: string
}

/** Problems of a rule that has the right shape. The server refuses the first; the form shows all. */
export function findRuleProblems(rule: AlertRuleInput): readonly Problem[] {
  const { name, code, signal, destinations } = rule
  const threshold = findThresholdProblem(rule)
  return [
    ...(name.trim() === '' ? [{ field: 'name', message: 'Give the rule a name.' }] : []),
    ...(threshold === null ? [] : [{ field: 'threshold', message: threshold }]),
    ...(code === null || alertSignal(signal).hasCode
      ? []
      : [{ field: 'code', message: 'This signal has no reasons. Choose any reason.' }]),
    ...destinations.flatMap((destination, at) => {
      const message = findDestinationProblem(destination)
      return message === null ? [] : [{ field: `destinations.${at}.url`, message }]
    }),
  ]
}

export const RuleFormInput = RuleInput.superRefine((rule, context) => {
  for (const { field, message } of findRuleProblems(rule)) {
    context.addIssue({ code: 'custom', path: field.split('.'), message })
  }
})

export const AddDestinationInput = z.object({
  destination: DestinationInput,
  rules: z.array(AlertId).min(1, 'Choose at least one rule.').max(500),
})

export const ChangeDestinationInput = z.object({ id: AlertId, destination: DestinationInput })

export const DestinationFormInput = AddDestinationInput.superRefine(({ destination }, context) => {
  const message = findDestinationProblem(destination)
  if (message !== null) {
    context.addIssue({ code: 'custom', path: ['destination', 'url'], message })
  }
})
