// An alert rule while it is typed: texts, what is wrong with them, and the rule that they make. Pure.
import type { AlertRuleInput, ListedRule } from '@/server/alerts/rules.ts'
import { ALERT_SIGNAL_NAMES, type AlertSignal, alertSignal } from '@/server/alerts/signals.kinds.ts'

export interface DraftDestination {
  readonly kind: AlertRuleInput['destinations'][number]['kind']
  /** URL as typed; the address for e-mail. */
  readonly url: string
}

const MAILTO = 'mailto:'

/** `ana@example.com` of the `mailto:` URL that the rule holds. */
export function mailAddress(url: string): string {
  return url.slice(MAILTO.length)
}

export interface Draft {
  readonly name: string
  readonly signal: AlertSignal
  /** Empty: any, as `prompt`. */
  readonly environment: string
  /** `ns/key` */
  readonly prompt: string
  /** Name of one; empty: any. */
  readonly runtime: string
  /** Reason code; empty: any. */
  readonly code: string
  readonly windowMinutes: string
  readonly threshold: string
  readonly destinations: readonly DraftDestination[]
}

const NEW: Draft = {
  name: '',
  signal: 'blocked_stops',
  environment: '',
  prompt: '',
  runtime: '',
  code: '',
  windowMinutes: '15',
  threshold: '5',
  destinations: [{ kind: 'webhook', url: '' }],
}

/** `start`: what a new one begins with. */
export function toDraft(rule: ListedRule | null, start: Partial<Draft>): Draft {
  if (rule === null) return { ...NEW, ...start }
  return {
    name: rule.name,
    signal: rule.signal,
    environment: rule.environment ?? '',
    prompt: rule.ns === null ? '' : `${rule.ns}/${rule.key}`,
    runtime: rule.runtime ?? '',
    code: rule.code ?? '',
    windowMinutes: String(rule.windowMinutes),
    threshold: String(rule.threshold),
    destinations: rule.destinations.map(({ kind, url }) => ({
      kind,
      url: kind === 'email' ? mailAddress(url) : url,
    })),
  }
}

export interface Problems {
  readonly name?: string
  readonly threshold?: string
  readonly windowMinutes?: string
  /** By place. */
  readonly destinations?: ReadonlyMap<number, string>
}

export function destinationProblem({ kind, url }: DraftDestination): string | null {
  if (kind === 'email') {
    return /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+$/.test(url.trim())
      ? null
      : 'Give one e-mail address, such as team@example.com, or remove the destination.'
  }
  return /^https?:\/\/[^\s/]+/.test(url.trim())
    ? null
    : 'Give an address that begins with https://, or remove the destination.'
}

export function findProblems(draft: Draft): Problems {
  const minutes = Number(draft.windowMinutes)
  const threshold = Number(draft.threshold)
  const isRate = alertSignal(draft.signal).measure === 'share'
  const wrong = draft.destinations.flatMap((destination, at) => {
    const problem = destinationProblem(destination)
    return problem === null ? [] : [[at, problem] as const]
  })
  return {
    ...(draft.name.trim() === '' ? { name: 'Give the rule a name.' } : {}),
    ...(draft.threshold.trim() !== '' && threshold > 0 && (!isRate || threshold <= 100)
      ? {}
      : { threshold: isRate ? 'Use a number above 0, up to 100.' : 'Use a number above 0.' }),
    ...(Number.isInteger(minutes) && minutes >= 1 && minutes <= 1440
      ? {}
      : { windowMinutes: 'Use whole minutes from 1 to 1440.' }),
    ...(wrong.length === 0 ? {} : { destinations: new Map(wrong) }),
  }
}

export type Conditions = Omit<AlertRuleInput, 'name' | 'destinations'>

/** Null while it cannot be judged. */
export function toConditions(draft: Draft): Conditions | null {
  const { threshold, windowMinutes } = findProblems(draft)
  if (threshold !== undefined || windowMinutes !== undefined) return null
  const at = draft.prompt.lastIndexOf('/')
  return {
    signal: draft.signal,
    environment: draft.environment === '' ? null : draft.environment,
    ns: at < 0 ? null : draft.prompt.slice(0, at),
    key: at < 0 ? null : draft.prompt.slice(at + 1),
    runtime: draft.runtime === '' ? null : draft.runtime,
    code: draft.code === '' ? null : draft.code,
    windowMinutes: Number(draft.windowMinutes),
    threshold: alertSignal(draft.signal).measure === 'standing' ? 1 : Number(draft.threshold),
  }
}

export function toDestination({ kind, url }: DraftDestination): DraftDestination {
  return { kind, url: `${kind === 'email' ? MAILTO : ''}${url.trim()}` }
}

/** Null: something is wrong with it. */
export function parseRule(draft: Draft): AlertRuleInput | null {
  const conditions = toConditions(draft)
  if (conditions === null || Object.keys(findProblems(draft)).length > 0) return null
  const destinations = draft.destinations.map(toDestination)
  return { ...conditions, name: draft.name.trim(), destinations }
}

interface StoppedFor {
  readonly verdict: string
  readonly code: string
  readonly ns: string | null
  readonly key: string | null
}

/** A rule that fires when a stop ends for the same reason again; null: such a stop needs no alert. */
export function draftFromStop(
  { verdict, code, ns, key }: StoppedFor,
  environment: string | undefined,
): Partial<Draft> | null {
  const signal = ALERT_SIGNAL_NAMES.find((name) => alertSignal(name).stopVerdict === verdict)
  if (signal === undefined) return null
  return {
    name: `Stop ${verdict}: ${code}`,
    signal,
    code,
    threshold: '1',
    windowMinutes: '60',
    environment: environment ?? '',
    prompt: ns === null || key === null ? '' : `${ns}/${key}`,
  }
}
